package cases

// message is what every type that protobuf carries offers.
type message[T any] interface {
	*T
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// Canonical is the object as a controller meets it, read from protobuf. Nil and empty are one there,
// as they are in our types.
func Canonical[T any, P message[T]](object P) P {
	again := P(new(T))
	if err := again.Unmarshal(Must(object.Marshal())); err != nil {
		Fatal("%T: %v", object, err)
	}
	DropEmpty(again)
	return again
}

// Wire is the object's protobuf, without an envelope.
func Wire[T any, P message[T]](object P) Text {
	return Text(Must(object.Marshal()))
}
