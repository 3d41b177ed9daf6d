//go:build !linux

package loader

func adviseHuge([]byte) {}

func discard([]byte) {}
