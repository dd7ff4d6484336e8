# Play a whole game through the JSON API from Godot 3: `turnsmith serve` in one terminal, in another, in a folder with
# this file, `godot3-server -s json_client.gd`, with the address of the server behind if it is another one.
# In a scene of yours call `ask` from a Thread, or use an HTTPRequest node: the requests are the same.
extends SceneTree

var address = "127.0.0.1"
var port = 8080

func _init():
	for word in OS.get_cmdline_args():
		if word.begins_with("http://"):
			var parts = word.trim_prefix("http://").split(":")
			address = parts[0]
			port = int(parts[1])
	play()
	quit()

func play():
	var match_ = ask("/api/matches", {"game": "dicewars:players=2", "seats": ["person", "fast"], "seed": 7})
	if match_ == null:
		return
	var place = "/api/matches/" + match_.match
	var key = [match_.keys[0]]
	while not match_.over:
		var hint = ask(place + "/hint", {"key": key, "player": "fast"})
		match_ = ask(place + "/moves", {"key": key, "move": hint.words, "wait": 30})
		draw(match_.state)
	print(match_.said)

# What a scene would show: the state is typed JSON, `GET /api/games/dicewars` has its schema.
func draw(state):
	var dice = [0, 0]
	for area in state.areas:
		dice[area.owner] += area.dice
	print("dice on the map: %d and %d" % dice)

func ask(path, body = null):
	var client = HTTPClient.new()
	client.connect_to_host(address, port)
	while client.get_status() in [HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING]:
		client.poll()
		OS.delay_msec(1)
	if client.get_status() != HTTPClient.STATUS_CONNECTED:
		return failed("nothing answers at %s:%d; start turnsmith serve" % [address, port])
	var way = HTTPClient.METHOD_GET if body == null else HTTPClient.METHOD_POST
	client.request(way, path, ["Content-Type: application/json"], "" if body == null else to_json(body))
	while client.get_status() == HTTPClient.STATUS_REQUESTING:
		client.poll()
		OS.delay_msec(1)
	var answer = PoolByteArray()
	while client.get_status() == HTTPClient.STATUS_BODY:
		client.poll()
		answer.append_array(client.read_response_body_chunk())
	var found = parse_json(answer.get_string_from_utf8())
	if client.get_response_code() >= 400:
		return failed(found.error)
	return found

func failed(why):
	printerr(why)
	OS.exit_code = 1
	return null
