package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// cpuTime counts the collector's threads too.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func resident() int {
	text, err := os.ReadFile("/proc/self/statm")
	check(err)
	var size, pages int
	_, err = fmt.Sscan(string(text), &size, &pages)
	check(err)
	return pages * os.Getpagesize()
}

// peak is the most memory that was resident, in kilobytes.
func peak() int64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Maxrss
}
