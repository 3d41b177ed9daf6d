// Command campaign sends hostile queries to running servers and says which limits did not hold. With -soak it mixes
// them with ordinary queries whose answers are known, for as long as it is told to. CONTRIBUTING.md says how to run it.
//
// Nouns: [server] (the program that is tested, over one store, started anew whenever it must be), [connection] (asks one
// request after another), [gauge] (samples the server's memory), [prober] (another client's ASK beside it all),
// [violation] (a limit that did not hold, with the queries under way), [report].
//
// Time is measured at the client, from the first byte sent to the last byte read, on whatever machine this runs on: the
// lateness of the campaign's own clock is reported beside it. What the host of a virtual machine gives to others meanwhile (steal in
// /proc/stat) is no fault of the server: answers that are late by that are counted apart. The memory of a server is what /proc says of its anonymous
// pages (RssAnon), so mapped files do not count; Linux only.
package main
