# Prints the solutions of a query that come (+) and go (-), over broken connections too (docs/WATCH.md):
#
#     python3 watch.py http://127.0.0.1:7878/subscribe 'SELECT ?a ?b { ?a <http://e/follows> ?b }'
import http.client, json, sys, time, urllib.error, urllib.request

address, query, last = sys.argv[1], sys.argv[2].encode(), ""
while True:
    try:
        headers = {"Content-Type": "application/sparql-query", "Last-Event-ID": last}
        with urllib.request.urlopen(urllib.request.Request(address, query, headers), timeout=60) as lines:
            event = {}
            for line in lines:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                event[field] = value
                if line == b"\n" and event.get("data"):  # an event is whole
                    told = json.loads(event["data"])
                    if event["event"] == "end" and told["status"] != 503:
                        sys.exit(event["data"])
                    for sign, part in ("-", "removed"), ("+", "added"):
                        for row in told[part]["results"]["bindings"] if part in told else []:
                            print(sign, json.dumps(row), flush=True)
                    last, event = event.get("id", last), {}
    except urllib.error.HTTPError as refusal:
        if refusal.code // 100 == 4:
            sys.exit(refusal.read().decode())
    except (OSError, http.client.HTTPException):
        pass  # the connection broke: the server is asked again
    time.sleep(1)
