// Command peer is upstream's side of the benchmarks. `peer pods FILE N` and `peer template FILE`
// write the input that both sides get; the others measure what upstream's code makes of it, and
// print one `name value` a line.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	args := os.Args[1:]
	switch {
	case len(args) == 3 && args[0] == "pods":
		n, err := strconv.Atoi(args[2])
		check(err)
		write(args[1], typicalPods(n))
	case len(args) == 2 && args[0] == "template":
		write(args[1], typicalTemplate())
	case len(args) == 2 && args[0] == "decode":
		decode(args[1])
	case len(args) == 2 && args[0] == "identity":
		identity(args[1])
	case len(args) == 1 && args[0] == "queue":
		queue()
	case len(args) == 3 && args[0] == "client":
		n, err := strconv.Atoi(args[2])
		check(err)
		client(args[1], n)
	case len(args) == 3 && args[0] == "cache":
		n, err := strconv.Atoi(args[2])
		check(err)
		cache(args[1], n)
	default:
		fmt.Fprintln(os.Stderr, "usage: peer pods FILE N | template FILE | decode FILE | identity FILE | queue | client VERB N | cache WHAT N")
		os.Exit(2)
	}
}

func write(file string, object interface{ Marshal() ([]byte, error) }) {
	data, err := object.Marshal()
	check(err)
	check(os.WriteFile(file, data, 0o644))
}

func read(file string) []byte {
	data, err := os.ReadFile(file)
	check(err)
	return data
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
