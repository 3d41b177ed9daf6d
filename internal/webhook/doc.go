// Package webhook posts messages to addresses that clients have named, signed, in order and at least once, also over the end of the process.
//
// Nouns: [Record] (a webhook: where to post, with what secret, how far it is), [Message] (what is posted until it is taken), [Folder] (the
// files that keep records), [Sender] (posts a message again and again until it is taken or given up), [Secret] (signs by Standard Webhooks,
// https://www.standardwebhooks.com).
//
//	record.Pending = &webhook.Message{Number: 1, Event: "change", Body: body}
//	err := folder.Save(record)         // it is posted again, the same, after a crash
//	err = sender.Deliver(ctx, record)  // nil: it was taken
//	record.Pending = nil
//	err = folder.Save(record)
//
// It posts to none but the addresses under its prefixes and follows no redirect, which could lead elsewhere. No error has an address or a
// secret in it. It knows nothing of queries, nor of what a message means.
package webhook
