package main

// definitions are custom kinds that have between them every way in which a schema says how its parts
// are owned.
var definitions = []struct {
	schema string
	reset  []string
}{
	{`{"type":"object","properties":{"spec":{"type":"object","properties":{
"words":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
"numbers":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"number"}},
"plain":{"type":"array","items":{"type":"string"}},
"ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object",
 "required":["port"],"properties":{"port":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},"name":{"type":"string"},
 "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}},
"flag":{"type":"boolean"},"size":{"type":"integer"},"mode":{"type":"string"}}},
"status":{"type":"object","properties":{"phase":{"type":"string"},"conditions":{"type":"array","x-kubernetes-list-type":"map",
 "x-kubernetes-list-map-keys":["type"],"items":{"type":"object","properties":{"type":{"type":"string"},"status":{"type":"string"},
 "since":{"type":"string","format":"date-time"}}}}}}}}`, []string{"status"}},
	{`{"type":"object","properties":{"spec":{"type":"object","properties":{
"any":{"x-kubernetes-preserve-unknown-fields":true},
"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"string"},
 "inner":{"type":"object","properties":{"a":{"type":"string"}}}}},
"either":{"x-kubernetes-int-or-string":true},
"labels":{"type":"object","additionalProperties":{"type":"string"}},
"whole":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
"fixed":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"},"b":{"type":"integer"}}},
"limits":{"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true}},
"nullable":{"type":"string","nullable":true},
"embedded":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
"empty":{"type":"object"}}}}}`, nil},
	{`{"type":"object","properties":{"spec":{"type":"object","properties":{
"groups":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","properties":{
 "name":{"type":"string"},"on":{"type":"boolean"},
 "members":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id","on"],"items":{"type":"object","properties":{
  "id":{"type":"integer"},"on":{"type":"boolean"},"weight":{"type":"number"},
  "attributes":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}}}}}},
 "atoms":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"object","properties":{"a":{"type":"string"}}}}}}},
"tree":{"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}}}}`, nil},
	{`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, nil},
	{`{"type":"object"}`, []string{"status"}},
}
