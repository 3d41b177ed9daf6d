// Package machine says how much memory the machine has, so that budgets can be a share of it.
package machine
