module ringleader/client

go 1.19
