package main

type Reader interface {
	Read()
}

type File interface {
	Reader
	Close()
}

func use(f File) {
	f.Read()
	f.Close()
}
