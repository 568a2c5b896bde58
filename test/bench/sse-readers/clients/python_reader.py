# Reads a stream with one of Python's readers and prints each event as a line of JSON.
# usage: python_reader.py KIND METHOD URL KEY BODY [LAST_EVENT_ID_URL]
# A stream that breaks off before the result is read again with Last-Event-ID, from LAST_EVENT_ID_URL.
import json
import sys
import time

kind, method, url, key, body = sys.argv[1:6]
again = sys.argv[6] if len(sys.argv) > 6 else url
try:
    if kind.startswith("requests"):
        import requests
    else:
        import httpx
    if kind == "httpx-sse":
        import httpx_sse
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

state = {"last": "", "over": False}


def put(event, id, data):
    print(json.dumps({"event": event, "id": id, "data": data}), flush=True)
    state["last"] = id or state["last"]
    try:
        state["over"] = json.loads(data).get("type") == "result" or '"type":"result"' in data
    except ValueError:
        pass


def by_lines(lines):
    """A loop as people write it over lines: each `data:` is an event."""
    event = id = ""
    for line in lines:
        line = line.decode() if isinstance(line, bytes) else line
        if line.startswith("data:"):
            put(event, id, line[5:].strip())
            if state["over"]:
                return
        elif line.startswith("id:"):
            id = line[3:].strip()
        elif line.startswith("event:"):
            event = line[6:].strip()
        elif line == "":
            event = ""
        elif not line.startswith(":") and not line.startswith("retry:"):
            put("?", id, line)


def read(method, url, headers):
    content = body.encode() if method == "POST" else None
    if kind.startswith("requests"):
        with requests.request(method, url, headers=headers, data=content, stream=True, timeout=60) as response:
            response.raise_for_status()
            size = 1 if kind == "requests-bytes" else 512
            by_lines(response.iter_lines(chunk_size=size, decode_unicode=kind == "requests-text"))
        return
    with httpx.Client(timeout=60) as client:
        if kind == "httpx-sse":
            with httpx_sse.connect_sse(client, method, url, headers=headers, content=content) as source:
                for sse in source.iter_sse():
                    put("" if sse.event == "message" else sse.event, sse.id, sse.data)
                    if state["over"]:
                        return
        else:
            with client.stream(method, url, headers=headers, content=content) as response:
                by_lines(response.iter_lines())


headers = {"authorization": "Bearer " + key, "accept": "text/event-stream", "content-type": "application/json"}
for attempt in range(20):
    try:
        read(method, url, headers)
    except Exception as error:
        print(type(error).__name__, error, file=sys.stderr)
    if state["over"]:
        break
    time.sleep(0.2)
    method, url = "GET", again
    if state["last"]:
        headers["last-event-id"] = state["last"]
