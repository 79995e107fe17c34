//go:build !linux

package ringleader

var now = portable()
