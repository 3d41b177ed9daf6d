package mine

// digits counts, for each of the 64 bits of words, how many of the words have it set: the i-th digit of the 64 numbers is in its i-th word.
// Adding a word is adding one to a binary number, for all bits at once: two or a few digits change.
type digits [32]uint64

// add counts the bits of a word.
func (d *digits) add(word uint64) {
	for i := 0; word != 0; i++ {
		carry := d[i] & word
		d[i] ^= word
		word = carry
	}
}

// join adds the numbers of another.
func (d *digits) join(o *digits) {
	carry := uint64(0)
	for i, b := range o {
		a := d[i]
		d[i] = a ^ b ^ carry
		carry = a&b | carry&(a|b)
	}
}

// count is the number of words that had a bit.
func (d *digits) count(bit int) (n uint64) {
	for i, word := range d {
		n |= word >> bit & 1 << i
	}
	return n
}

// bit64 has one of several words' bits.
func bit64(i int) uint64 { return 1 << (i % 64) }
