"""Evaluates SPARQL expressions with Oxigraph: one on each line of the input, its result on each line of the output,
as N-Triples; an empty line for an error. Needs the package pyoxigraph."""
import sys
import pyoxigraph

PROLOGUE = ("BASE <http://b/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX : <http://e/> ")
store = pyoxigraph.Store()
for line in sys.stdin:
    try:
        rows = list(store.query(PROLOGUE + "SELECT (" + line + " AS ?r) {}"))
        result = rows[0]["r"]
    except Exception as e:
        print("#", str(e).replace("\n", " "))
        continue
    print("" if result is None else str(result).replace("\n", "\\n"))
