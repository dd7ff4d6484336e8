// Play a whole game through the JSON API: `turnsmith serve` in one terminal, `node examples/json_client.mjs` in another.
// The same calls work from a browser, from Godot or from Unity.

const address = process.argv[2] || "http://127.0.0.1:8080";

async function ask(path, body) {
  const options = body && { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const answer = await fetch(address + path, options);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

let match = await ask("/api/matches", { game: "mastermind", seats: ["person"] });
const place = `/api/matches/${match.match}`;
const key = [match.keys[0]];
while (!match.over) {
  const hint = await ask(place + "/hint", { key, player: "knuth" });
  match = await ask(place + "/moves", { key, move: hint.action });
  console.log(hint.words, "-", hint.note.split("\n")[0]);
}
console.log(`${match.ending}; the last picture has ${match.picture.length} signs of SVG`);
