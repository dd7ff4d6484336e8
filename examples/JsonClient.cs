// Play a whole game through the JSON API from Unity, or any C#: put this file into Assets and TurnsmithMatch on an object.
// Without Unity, while `turnsmith serve` runs: `mcs JsonClient.cs && mono JsonClient.exe [ADDRESS]`.
// It needs nothing but System; what has a JSON library at hand can do without the class Json.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading.Tasks;

namespace Turnsmith
{
    // A soldier of Tactics as `state` has it; `GET /api/games/tactics` tells all fields, `/openapi.json` the other answers.
    public class Soldier
    {
        public string Name;
        public int Seat, Column, Row, Hp, Height;
    }

    public class JsonClient
    {
        readonly string address;

        public JsonClient(string address) { this.address = address; }

        public async Task<Json> Post(string path, string body)
        {
            using (var client = new WebClient { Encoding = Encoding.UTF8 })
            {
                client.Headers[HttpRequestHeader.ContentType] = "application/json";
                try
                {
                    return Json.Read(await client.UploadStringTaskAsync(address + path, body));
                }
                catch (WebException error) when (error.Response != null) // {"error": "cause; cure"}
                {
                    var text = new StreamReader(error.Response.GetResponseStream()).ReadToEnd();
                    throw new Exception(Json.Read(text)["error"].Text);
                }
            }
        }

        // One match against the computer; `show` is called after every move. Gives who won, in a sentence.
        public async Task<string> Play(Action<List<Soldier>> show)
        {
            var match = await Post("/api/matches", @"{""game"": ""tactics:team=2"", ""seats"": [""person"", ""static""], ""seed"": 7}");
            var place = "/api/matches/" + match["match"].Text;
            var key = @"""key"": [""" + match["keys"][0].Text + @"""]";
            while (!match["over"].Is)
            {
                var hint = await Post(place + "/hint", "{" + key + @", ""player"": ""rusher""}");
                match = await Post(place + "/moves", "{" + key + @", ""move"": """ + hint["words"].Text + @""", ""wait"": 30}");
                show(Soldiers(match["state"]));
            }
            return match["said"].Text;
        }

        static List<Soldier> Soldiers(Json state)
        {
            return state["soldiers"].Items.Select(each => new Soldier
            {
                Name = each["name"].Text,
                Seat = each["seat"].Whole,
                Column = each["column"].Whole,
                Row = each["row"].Whole,
                Hp = each["hp"].Whole,
                Height = state["heights"][each["row"].Whole][each["column"].Whole].Whole,
            }).ToList();
        }
    }

    // Just enough of JSON to read what the server answers.
    public class Json
    {
        object value;
        public string Text { get { return (string)value; } }
        public bool Is { get { return (bool)value; } }
        public double Number { get { return (double)value; } }
        public int Whole { get { return (int)Number; } }
        public List<Json> Items { get { return (List<Json>)value; } }
        public Json this[int place] { get { return Items[place]; } }
        public Json this[string name] { get { return ((Dictionary<string, Json>)value)[name]; } }

        public static Json Read(string text)
        {
            var at = 0;
            return Value(text, ref at);
        }

        static Json Value(string text, ref int at)
        {
            Space(text, ref at);
            if (text[at] == '{' || text[at] == '[')
            {
                var isObject = text[at++] == '{';
                var (named, items) = (new Dictionary<string, Json>(), new List<Json>());
                for (Space(text, ref at); text[at] != '}' && text[at] != ']'; Space(text, ref at))
                {
                    if (text[at] == ',') at++;
                    var first = Value(text, ref at);
                    Space(text, ref at);
                    if (!isObject) { items.Add(first); continue; }
                    at++; // the colon
                    named[first.Text] = Value(text, ref at);
                }
                at++;
                return new Json { value = isObject ? (object)named : items };
            }
            if (text[at] == '"') return new Json { value = Quoted(text, ref at) };
            var begin = at;
            while (at < text.Length && !",]} \n\r\t".Contains(text[at])) at++;
            var word = text.Substring(begin, at - begin);
            if (word == "null") return new Json();
            if (word == "true" || word == "false") return new Json { value = word == "true" };
            return new Json { value = double.Parse(word, CultureInfo.InvariantCulture) };
        }

        static string Quoted(string text, ref int at)
        {
            var found = new StringBuilder();
            for (at++; text[at] != '"'; at++)
            {
                if (text[at] != '\\') { found.Append(text[at]); continue; }
                at++;
                if (text[at] == 'u')
                {
                    found.Append((char)int.Parse(text.Substring(at + 1, 4), NumberStyles.HexNumber));
                    at += 4;
                }
                else found.Append("nrtbf".Contains(text[at]) ? "\n\r\t\b\f"["nrtbf".IndexOf(text[at])] : text[at]);
            }
            at++;
            return found.ToString();
        }

        static void Space(string text, ref int at)
        {
            while (at < text.Length && char.IsWhiteSpace(text[at])) at++;
        }
    }

#if UNITY_5_3_OR_NEWER
    public class TurnsmithMatch : UnityEngine.MonoBehaviour
    {
        public string address = "http://127.0.0.1:8080";
        readonly Dictionary<string, UnityEngine.GameObject> bodies = new Dictionary<string, UnityEngine.GameObject>();

        async void Start()
        {
            UnityEngine.Debug.Log(await new JsonClient(address).Play(Show));
        }

        void Show(List<Soldier> soldiers)
        {
            foreach (var each in soldiers)
            {
                if (!bodies.ContainsKey(each.Name))
                    bodies[each.Name] = UnityEngine.GameObject.CreatePrimitive(UnityEngine.PrimitiveType.Capsule);
                bodies[each.Name].transform.position = new UnityEngine.Vector3(each.Column, each.Height, -each.Row);
                bodies[each.Name].SetActive(each.Hp > 0);
            }
        }
    }
#else
    public static class Program
    {
        public static void Main(string[] words)
        {
            var address = words.Length > 0 ? words[0] : "http://127.0.0.1:8080";
            var last = new List<Soldier>();
            var said = new JsonClient(address).Play(soldiers => last = soldiers).Result;
            foreach (var each in last)
                Console.WriteLine("{0} {1} hp on height {2}", each.Name, each.Hp, each.Height);
            Console.WriteLine(said);
        }
    }
#endif
}
