package ringleader

import (
	"syscall"
	"unsafe"
)

// CLOCK_MONOTONIC, which package time reads, stands still while Linux sleeps; CLOCK_BOOTTIME does not.
const bootTime = 7

var now = choose()

func choose() func() int64 {
	if _, ok := boot(); !ok {
		return portable()
	}
	return func() int64 {
		nanos, _ := boot()
		return nanos
	}
}

func boot() (int64, bool) {
	var at syscall.Timespec
	_, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, bootTime, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano(), failed == 0
}
