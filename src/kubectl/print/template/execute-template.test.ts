import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { executeTemplate } from "./execute-template.ts";
import { parseTemplate } from "./template-parser.ts";

// The expected texts are what kubectl 1.36 prints.
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web",
    namespace: "default",
    labels: { app: "web", tier: "front <end>" },
    managedFields: [{ manager: "kubectl" }],
    creationTimestamp: "2020-01-01T00:00:00Z",
  },
  spec: {
    replicas: 3,
    ratio: 0.25,
    big: 12345678.5,
    on: true,
    off: false,
    none: null,
    empty: "",
    list: ["a", "b", "c"],
    nums: [1, 2, 3],
    mixed: [1, "x", null, true, 2.5, { k: "v" }],
    containers: [
      { name: "c1", image: "nginx:1", ports: [{ containerPort: 80 }, { containerPort: 443 }] },
      { name: "c2", image: "busy", env: [] },
    ],
    emptymap: {},
    emptylist: [],
    text: "h\u00e9llo\nworld",
    b64: "aGVsbG8=",
    html: "<a href=\"x\">'&'</a>",
  },
};

function applied(text: string, strict = false): string {
  const definitions = parseTemplate("output", text);
  let out = "";
  executeTemplate({ name: "output", text, definitions, strict }, pod, (part) => {
    out += part;
  });
  return out;
}

each<[template: string, output: string]>([
  ["{{.metadata.name}}", "web"],
  ["{{ .metadata.name }} {{.kind}}", "web Pod"],
  [
    "{{.}}",
    "map[apiVersion:v1 kind:Pod metadata:map[creationTimestamp:2020-01-01T00:00:00Z labels:map[app:web tier:front <end>] managedFields:[map[manager:kubectl]] name:web namespace:default] spec:map[b64:aGVsbG8= big:1.23456785e+07 containers:[map[image:nginx:1 name:c1 ports:[map[containerPort:80] map[containerPort:443]]] map[env:[] image:busy name:c2]] empty: emptylist:[] emptymap:map[] html:<a href=\"x\">'&'</a> list:[a b c] mixed:[1 x <nil> true 2.5 map[k:v]] none:<nil> nums:[1 2 3] off:false on:true ratio:0.25 replicas:3 text:h\u00e9llo\nworld]]",
  ],
  [
    "{{.spec.containers}}",
    "[map[image:nginx:1 name:c1 ports:[map[containerPort:80] map[containerPort:443]]] map[env:[] image:busy name:c2]]",
  ],
  ["{{.missing}}", "<no value>"],
  ["{{.missing.deeper}}", "<no value>"],
  ["{{.spec.none}}", "<no value>"],
  [
    "{{.spec.replicas}} {{.spec.ratio}} {{.spec.big}} {{.spec.on}} {{.spec.empty}}",
    "3 0.25 1.23456785e+07 true ",
  ],
  ["{{range .spec.containers}}{{.name}}={{.image}} {{end}}", "c1=nginx:1 c2=busy "],
  ["{{range $i, $e := .spec.list}}{{$i}}:{{$e}},{{end}}", "0:a,1:b,2:c,"],
  ["{{range $e := .spec.list}}{{$e}}{{end}}", "abc"],
  ["{{range $k, $v := .metadata.labels}}{{$k}}={{$v}};{{end}}", "app=web;tier=front <end>;"],
  ["{{range .spec.emptylist}}x{{else}}none{{end}}", "none"],
  ["{{range .missing}}x{{else}}none{{end}}", "none"],
  ["{{range .spec.none}}x{{else}}none{{end}}", "none"],
  ["{{range 3}}{{.}}{{end}}", "012"],
  ["{{range $i := 3}}{{$i}} {{end}}", "0 1 2 "],
  ["{{range .spec.replicas}}{{.}},{{end}}", "0,1,2,"],
  ['{{range .spec.list}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}', "a"],
  ['{{range .spec.list}}{{if eq . "b"}}{{continue}}{{end}}{{.}}{{end}}', "ac"],
  ["{{if .spec.on}}yes{{else}}no{{end}}", "yes"],
  ["{{if .spec.off}}yes{{else if .spec.on}}second{{else}}no{{end}}", "second"],
  [
    "{{if .spec.emptymap}}y{{else}}n{{end}}{{if .spec.emptylist}}y{{else}}n{{end}}{{if .spec.empty}}y{{else}}n{{end}}{{if .spec.none}}y{{else}}n{{end}}{{if 0}}y{{else}}n{{end}}{{if 0.0}}y{{else}}n{{end}}",
    "nnnnnn",
  ],
  ["{{with .spec.containers}}{{len .}}{{end}}", "2"],
  ["{{with .missing}}x{{else}}none{{end}}", "none"],
  ["{{with .missing}}x{{else with .metadata}}{{.name}}{{end}}", "web"],
  ["{{with $x := .metadata.name}}{{$x}}-{{.}}{{end}}", "web-web"],
  ["{{$x := 1}}{{$x}}{{$x = 2}}{{$x}}", "12"],
  ["{{$x := .metadata}}{{$x.name}} {{$x.labels.app}}", "web web"],
  ["{{$.metadata.name}}", "web"],
  ["{{range .spec.list}}{{$.kind}}{{end}}", "PodPodPod"],
  ["{{$x := 1}}{{if true}}{{$x = 5}}{{$x := 7}}{{$x}}{{end}}{{$x}}", "75"],
  ['{{define "a"}}A:{{.}}{{end}}{{template "a" .kind}}', "A:Pod"],
  ['{{define "a"}}x{{end}}{{template "a"}}{{template "a" 5}}', "xx"],
  ['{{block "b" .metadata}}{{.name}}{{end}}', "web"],
  ['{{define "r"}}{{range .}}{{.}}{{end}}{{end}}{{template "r" .spec.nums}}', "123"],
  ["a {{- .kind -}} b", "aPodb"],
  ["a  {{- /* c */ -}}  b", "ab"],
  ["{{/* c */}}x", "x"],
  ["{{- .kind}}", "Pod"],
  ['x\n\n{{- "y" -}}\n\n z', "xyz"],
  ['{{.metadata.name | printf "%s-%s" "x"}}', "x-web"],
  ['{{printf "%d %v %s %q %t" 1 2.5 "x" "y" true}}', '1 2.5 x "y" true'],
  [
    '{{printf "%5d|%-5d|%05d|%+d|%x|%X|%o|%b|%c|%U" 42 42 42 42 255 255 8 5 65 65}}',
    "   42|42   |00042|+42|ff|FF|10|101|A|U+0041",
  ],
  [
    '{{printf "%8.3f|%-8.2f|%e|%g|%G" 3.14159 2.5 1234.5 1e21 1e-7}}',
    "   3.142|2.50    |1.234500e+03|1e+21|1E-07",
  ],
  ['{{printf "%s %d" 5 "x"}}', "%!s(int=5) %!d(string=x)"],
  ['{{printf "%d"}}', "%!d(MISSING)"],
  ['{{printf "%d" 1 2}}', "1%!(EXTRA int=2)"],
  ['{{printf "%!"}}', "%!!(MISSING)"],
  ['{{printf "%z" 1}}', "%!z(int=1)"],
  ['{{printf "%[2]s %[1]s" "a" "b"}}', "b a"],
  ['{{printf "%*d" 5 42}}', "   42"],
  ['{{printf "%.2s|%10s|%-10s|" "abcdef" "x" "y"}}', "ab|         x|y         |"],
  [
    '{{printf "%v %+v %#v %T" .spec.list .spec.list .spec.list .spec.list}}',
    '[a b c] [a b c] []interface {}{"a", "b", "c"} []interface {}',
  ],
  [
    '{{printf "%v %#v %T" .metadata.labels .metadata.labels .metadata}}',
    'map[app:web tier:front <end>] map[string]interface {}{"app":"web", "tier":"front <end>"} map[string]interface {}',
  ],
  [
    '{{printf "%T %T %T %T %T %T" .spec.replicas .spec.ratio 1 1.5 "s" true}}',
    "int64 float64 int float64 string bool",
  ],
  ['{{printf "%v %s %d" .missing .missing .missing}}', "<nil> %!s(<nil>) %!d(<nil>)"],
  [
    '{{printf "%d %s" .spec.nums .spec.mixed}}',
    "[1 2 3] [%!s(int64=1) x <nil> %!s(bool=true) %!s(float64=2.5) map[k:v]]",
  ],
  ['{{printf "%x % x %q" "h\u00e9" "hi" \'x\'}}', "68c3a9 68 69 'x'"],
  ['{{printf "%t" .spec.on}}', "true"],
  ['{{printf "100%%"}}', "100%"],
  ['{{printf "%6.2f%%" .spec.ratio}}', "  0.25%"],
  ['{{printf "%q" .spec.list}}', '["a" "b" "c"]'],
  ['{{printf "%#x %#o %#b" 255 8 5}}', "0xff 010 0b101"],
  [
    '{{printf "%s" .metadata}}',
    "map[creationTimestamp:2020-01-01T00:00:00Z labels:map[app:web tier:front <end>] managedFields:[map[manager:kubectl]] name:web namespace:default]",
  ],
  ['{{print 1 2 "a" 3 4}}|{{println "x" 1}}', "1 2a3 4|x 1\n"],
  ["{{print .missing}}", "<nil>"],
  ["{{print nil}}", "<nil>"],
  ["{{print .spec.none 1}}", "<nil> 1"],
  ["{{print}}", ""],
  [
    "{{len .spec.list}} {{len .metadata.name}} {{len .spec.text}} {{len .metadata.labels}}",
    "3 3 12 2",
  ],
  ["{{.spec.list | len}}", "3"],
  ['{{index .spec.list 1}} {{index .metadata.labels "app"}}', "b web"],
  ['{{index .spec.containers 0 "ports" 1 "containerPort"}}', "443"],
  ['{{index .metadata.labels "none"}}', "<no value>"],
  ["{{index .metadata.name 0}}", "119"],
  ["{{(index .spec.containers 0).name}}", "c1"],
  ["{{index .spec.list}}", "[a b c]"],
  ["{{slice .metadata.name 1}} {{slice .metadata.name 1 2}} {{slice .spec.nums 1 2}}", "eb e [2]"],
  [
    '{{html .spec.html}} {{js .spec.html}} {{urlquery "a b&c=d/\u00e9~"}}',
    "&lt;a href=&#34;x&#34;&gt;&#39;&amp;&#39;&lt;/a&gt; \\u003Ca href\\u003D\\\"x\\\"\\u003E\\'\\u0026\\'\\u003C/a\\u003E a+b%26c%3Dd%2F%C3%A9~",
  ],
  ["{{html 1 2}} {{html .missing}}", "1 2 &lt;no value&gt;"],
  ['{{js "a\\nb\'\u00e9=\\u2028"}}', "a\\u000Ab\\'\u00e9\\u003D\\u2028"],
  ["{{.spec.html | html}}", "&lt;a href=&#34;x&#34;&gt;&#39;&amp;&#39;&lt;/a&gt;"],
  [
    '{{eq 1 1}} {{eq .spec.replicas 3}} {{eq .kind "Pod" "x"}} {{eq "a" "b" "a"}} {{ne 1 2}} {{lt 1 2}} {{le 2 2}} {{gt 3 2}} {{ge 2 3}}',
    "true true true true true true true true false",
  ],
  ["{{eq .missing .spec.none}}", "true"],
  ["{{eq .missing 1}}", "false"],
  ["{{eq true true}} {{eq nil .spec.none}}", "true true"],
  ['{{lt "a" "b"}} {{gt 1.5 1.2}}', "true true"],
  ["{{eq .spec.list .missing}}", "false"],
  ["{{eq (index .metadata.name 0) 119}}", "true"],
  [
    '{{and true .kind}} {{and "" .kind}} {{or "" .kind}} {{or 1 .x}} {{not .kind}} {{not 0}}',
    "Pod  Pod 1 false true",
  ],
  ["{{and .missing .missing.x}}", "<no value>"],
  ["{{or .kind (index .spec.list 9)}}", "Pod"],
  ["{{true | and .kind}}", "true"],
  ["{{and .spec.off 1}}|{{or .spec.off .spec.empty}}", "false|"],
  [
    '{{exists .metadata "name"}} {{exists .metadata "x"}} {{exists .spec.list 1}} {{exists .spec.list 5}} {{exists .missing}} {{exists .spec.containers 0 "ports" 0}} {{exists .kind "x"}} {{exists .spec.none}}',
    "true false true false true true false true",
  ],
  ["{{base64decode .spec.b64}} {{.spec.b64 | base64decode}}", "hello hello"],
  ['{{"a" | len}}', "1"],
  ['{{.metadata.labels.app | len | printf "%d!"}}', "3!"],
  ["{{true}} {{1}} {{1.50}} {{'a'}} {{\"s\"}} {{`raw\\n`}}", "true 1 1.5 97 s raw\\n"],
  [
    "{{0x1F}} {{0b11}} {{0o17}} {{017}} {{1_000}} {{1e3}} {{-5}} {{+5}} {{.5}}",
    "31 3 15 15 1000 1000 -5 5 0.5",
  ],
  ['{{"\\u00e9\\x41\\101\\t|"}}', "\u00e9AA\t|"],
  ["{{.kind |}}", "Pod"],
  ["{{.x\n}}", "<no value>"],
  ["{{.\u00e9}}", "<no value>"],
  ["{{range .spec.mixed}}[{{.}}]{{end}}", "[1][x][<no value>][true][2.5][map[k:v]]"],
  [
    '{{range $i, $e := .spec.mixed}}{{printf "%T " $e}}{{end}}',
    "int64 string <nil> bool float64 map[string]interface {} ",
  ],
  ["{{println}}", "\n"],
  ['{{define "x"}}{{$}}{{end}}{{template "x" 3}}', "3"],
  [
    "{{range $i, $c := .spec.containers}}{{if $i}}, {{end}}{{$c.name}}{{range .ports}} {{.containerPort}}{{end}}{{end}}",
    "c1 80 443, c2",
  ],
  [
    "{{range .spec.list}}{{else}}{{end}}{{ range $k,$v := .spec.containers }}{{$k}}{{$v.name}}{{end}}",
    "0c11c2",
  ],
  ['{{if and .spec.on (eq .kind "Pod")}}ok{{end}}', "ok"],
  ["{{if not (or .spec.off .spec.empty)}}ok{{end}}", "ok"],
  ['{{- range .spec.containers -}} {{.name}} {{- "\\n" -}} {{end -}}', "c1\nc2\n"],
  ['{{"quoted \'x\' \\"y\\""}}', "quoted 'x' \"y\""],
  ['{{print "a" "b"}} {{print 1 2}} {{print .spec.list .spec.nums}}', "ab 1 2 [a b c] [1 2 3]"],
  ['{{html "\\x00"}}', "\ufffd"],
  ["{{eq .spec.ratio 0.25}} {{lt .spec.ratio 1.0}}", "true true"],
])("executeTemplate: %s", (template, output) => {
  expect(applied(template)).toBe(output);
});

each<[template: string, message: string]>([
  [
    "{{.spec.none.x}}",
    'template: output:1:7: executing "output" at <.spec.none.x>: nil pointer evaluating interface {}.x',
  ],
  [
    "{{.metadata.name.x}}",
    'template: output:1:11: executing "output" at <.metadata.name.x>: can\'t evaluate field x in type interface {}',
  ],
  [
    "{{range $i, $j := 3}}{{end}}",
    'template: output:1:18: executing "output" at <3>: can\'t use 3 to iterate over more than one variable',
  ],
  [
    "{{range .metadata.name}}x{{end}}",
    'template: output:1:17: executing "output" at <.metadata.name>: range can\'t iterate over web',
  ],
  [
    "{{range .spec.on}}x{{end}}",
    'template: output:1:13: executing "output" at <.spec.on>: range can\'t iterate over true',
  ],
  [
    "{{range .spec.ratio}}x{{end}}",
    'template: output:1:13: executing "output" at <.spec.ratio>: range can\'t iterate over 0.25',
  ],
  ["{{$x = 1}}", 'template: output:1:7: executing "output" at <1>: undefined variable: $x'],
  [
    '{{template "none"}}',
    'template: output:1:11: executing "output" at <{{template "none"}}>: template "none" not defined',
  ],
  [
    '{{define "e"}}{{.x.y}}{{end}}{{template "e" .kind}}',
    'template: output:1:18: executing "e" at <.x.y>: can\'t evaluate field x in type string',
  ],
  ["{{printf 5}}", 'template: output:1:9: executing "output" at <5>: expected string; found 5'],
  [
    "{{printf .spec.replicas}}",
    'template: output:1:14: executing "output" at <.spec.replicas>: wrong type for value; expected string; got int64',
  ],
  [
    "{{printf .missing}}",
    'template: output:1:9: executing "output" at <.missing>: invalid value; expected string',
  ],
  [
    "{{printf .spec.none}}",
    'template: output:1:14: executing "output" at <.spec.none>: wrong type for value; expected string; got interface {}',
  ],
  [
    "{{printf}}",
    'template: output:1:2: executing "output" at <printf>: wrong number of args for printf: want at least 1 got 0',
  ],
  [
    "{{len 3}}",
    'template: output:1:2: executing "output" at <len 3>: error calling len: len of type int',
  ],
  [
    "{{len .missing}}",
    'template: output:1:2: executing "output" at <len .missing>: error calling len: reflect: call of reflect.Value.Type on zero Value',
  ],
  [
    "{{len .spec.none}}",
    'template: output:1:2: executing "output" at <len .spec.none>: error calling len: len of nil pointer',
  ],
  [
    "{{len}}",
    'template: output:1:2: executing "output" at <len>: wrong number of args for len: want 1 got 0',
  ],
  [
    "{{len .kind .kind}}",
    'template: output:1:2: executing "output" at <len>: wrong number of args for len: want 1 got 2',
  ],
  [
    "{{index .spec.list 9}}",
    'template: output:1:2: executing "output" at <index .spec.list 9>: error calling index: index out of range: 9',
  ],
  [
    "{{index .spec.list 3}}",
    'template: output:1:2: executing "output" at <index .spec.list 3>: error calling index: reflect: slice index out of range',
  ],
  [
    "{{index .spec.list -1}}",
    'template: output:1:2: executing "output" at <index .spec.list -1>: error calling index: index out of range: -1',
  ],
  [
    "{{index .metadata.labels 1}}",
    'template: output:1:2: executing "output" at <index .metadata.labels 1>: error calling index: value has type int; should be string',
  ],
  [
    '{{index .spec.list "a"}}',
    'template: output:1:2: executing "output" at <index .spec.list "a">: error calling index: cannot index slice/array with type string',
  ],
  [
    "{{index .spec.list nil}}",
    'template: output:1:2: executing "output" at <index .spec.list nil>: error calling index: cannot index slice/array with nil',
  ],
  [
    "{{index .missing 1}}",
    'template: output:1:2: executing "output" at <index .missing 1>: error calling index: index of untyped nil',
  ],
  [
    "{{index .spec.none 1}}",
    'template: output:1:2: executing "output" at <index .spec.none 1>: error calling index: index of untyped nil',
  ],
  [
    "{{index .spec.replicas 1}}",
    'template: output:1:2: executing "output" at <index .spec.replicas 1>: error calling index: can\'t index item of type int64',
  ],
  [
    "{{index .metadata.name 3}}",
    'template: output:1:2: executing "output" at <index .metadata.name 3>: error calling index: reflect: string index out of range',
  ],
  [
    "{{index .spec.list 1.5}}",
    'template: output:1:2: executing "output" at <index .spec.list 1.5>: error calling index: cannot index slice/array with type float64',
  ],
  [
    "{{index .metadata.labels nil}}",
    'template: output:1:2: executing "output" at <index .metadata.labels nil>: error calling index: value is nil; should be of type string',
  ],
  [
    "{{slice .metadata.name 2 1}}",
    'template: output:1:2: executing "output" at <slice .metadata.name 2 1>: error calling slice: invalid slice index: 2 > 1',
  ],
  [
    "{{slice .metadata.name 1 9}}",
    'template: output:1:2: executing "output" at <slice .metadata.name 1 9>: error calling slice: index out of range: 9',
  ],
  [
    "{{slice .spec.replicas 1}}",
    'template: output:1:2: executing "output" at <slice .spec.replicas 1>: error calling slice: can\'t slice item of type int64',
  ],
  [
    "{{slice .metadata.name 0 1 2}}",
    'template: output:1:2: executing "output" at <slice .metadata.name 0 1 2>: error calling slice: cannot 3-index slice a string',
  ],
  [
    "{{slice .missing 1}}",
    'template: output:1:2: executing "output" at <slice .missing 1>: error calling slice: slice of untyped nil',
  ],
  [
    '{{slice .metadata.name "a"}}',
    'template: output:1:2: executing "output" at <slice .metadata.name "a">: error calling slice: cannot index slice/array with type string',
  ],
  [
    "{{call .kind}}",
    'template: output:1:2: executing "output" at <call .kind>: error calling call: non-function .kind of type string',
  ],
  [
    "{{call .missing}}",
    'template: output:1:2: executing "output" at <call .missing>: error calling call: call of nil',
  ],
  [
    "{{call}}",
    'template: output:1:2: executing "output" at <call>: wrong number of args for call: want at least 1 got 0',
  ],
  [
    "{{eq 1 1.0}}",
    'template: output:1:2: executing "output" at <eq 1 1.0>: error calling eq: incompatible types for comparison: int and float64',
  ],
  [
    '{{eq 1 "1"}}',
    'template: output:1:2: executing "output" at <eq 1 "1">: error calling eq: incompatible types for comparison: int and string',
  ],
  [
    "{{eq .spec.list .spec.list}}",
    'template: output:1:2: executing "output" at <eq .spec.list .spec.list>: error calling eq: non-comparable type [a b c]: []interface {}',
  ],
  [
    "{{eq .metadata.labels .spec.list}}",
    'template: output:1:2: executing "output" at <eq .metadata.labels .spec.list>: error calling eq: non-comparable types map[app:web tier:front <end>]: map[string]interface {}, []interface {}: [a b c]',
  ],
  [
    "{{eq 1}}",
    'template: output:1:2: executing "output" at <eq 1>: error calling eq: missing argument for comparison',
  ],
  [
    "{{eq}}",
    'template: output:1:2: executing "output" at <eq>: wrong number of args for eq: want at least 1 got 0',
  ],
  [
    '{{lt 1 "a"}}',
    'template: output:1:2: executing "output" at <lt 1 "a">: error calling lt: incompatible types for comparison: int and string',
  ],
  [
    "{{lt .missing 1}}",
    'template: output:1:2: executing "output" at <lt .missing 1>: error calling lt: invalid type for comparison',
  ],
  [
    "{{lt true false}}",
    'template: output:1:2: executing "output" at <lt true false>: error calling lt: invalid type for comparison',
  ],
  [
    "{{ne 1 2 3}}",
    'template: output:1:2: executing "output" at <ne>: wrong number of args for ne: want 2 got 3',
  ],
  [
    "{{ne 1}}",
    'template: output:1:2: executing "output" at <ne>: wrong number of args for ne: want 2 got 1',
  ],
  [
    "{{lt .spec.list 1}}",
    'template: output:1:2: executing "output" at <lt .spec.list 1>: error calling lt: invalid type for comparison',
  ],
  [
    "{{and .kind (index .spec.list 9)}}",
    'template: output:1:13: executing "output" at <index .spec.list 9>: error calling index: index out of range: 9',
  ],
  [
    "{{and}}",
    'template: output:1:2: executing "output" at <and>: wrong number of args for and: want at least 1 got 0',
  ],
  [
    "{{not}}",
    'template: output:1:2: executing "output" at <not>: wrong number of args for not: want 1 got 0',
  ],
  [
    "{{exists}}",
    'template: output:1:2: executing "output" at <exists>: wrong number of args for exists: want at least 1 got 0',
  ],
  [
    '{{base64decode "!!"}}',
    'template: output:1:2: executing "output" at <base64decode "!!">: error calling base64decode: base64 decode failed: illegal base64 data at input byte 0',
  ],
  [
    "{{base64decode 5}}",
    'template: output:1:15: executing "output" at <5>: expected string; found 5',
  ],
  [
    "{{base64decode .spec.replicas}}",
    'template: output:1:20: executing "output" at <.spec.replicas>: wrong type for value; expected string; got int64',
  ],
  [
    "{{base64decode .missing}}",
    'template: output:1:15: executing "output" at <.missing>: invalid value; expected string',
  ],
  [
    "{{base64decode nil}}",
    'template: output:1:15: executing "output" at <nil>: cannot assign nil to string',
  ],
  [
    '{{base64decode "abc"}}',
    'template: output:1:2: executing "output" at <base64decode "abc">: error calling base64decode: base64 decode failed: illegal base64 data at input byte 0',
  ],
  [
    "{{base64decode .spec.none}}",
    'template: output:1:20: executing "output" at <.spec.none>: wrong type for value; expected string; got interface {}',
  ],
  [
    "{{base64decode true}}",
    'template: output:1:15: executing "output" at <true>: expected string; found true',
  ],
  [
    "{{.kind 1}}",
    'template: output:1:2: executing "output" at <.kind>: kind is not a method but has arguments',
  ],
  [
    "{{1 2}}",
    'template: output:1:2: executing "output" at <1>: can\'t give argument to non-function 1',
  ],
  [
    "{{.kind | .kind}}",
    'template: output:1:10: executing "output" at <.kind>: kind is not a method but has arguments',
  ],
  ["{{nil}}", 'template: output:1:2: executing "output" at <nil>: nil is not a command'],
  [
    "{{(1) 2}}",
    'template: output:1:2: executing "output" at <(1) 2>: can\'t give argument to non-function 1',
  ],
  [
    "{{$ 1}}",
    'template: output:1:2: executing "output" at <$>: can\'t give argument to non-function $',
  ],
  [
    "{{18446744073709551615}}",
    'template: output:1:2: executing "output" at <18446744073709551615>: 18446744073709551615 overflows int',
  ],
  [
    "{{ . .x}}",
    'template: output:1:3: executing "output" at <.>: can\'t give argument to non-function .',
  ],
  [
    "{{len .x | }}",
    'template: output:1:2: executing "output" at <len .x>: error calling len: reflect: call of reflect.Value.Type on zero Value',
  ],
  [
    "{{.kind\n.x}}",
    'template: output:1:2: executing "output" at <.kind>: kind is not a method but has arguments',
  ],
  [
    "\n\n  {{.kind.foo}}",
    'template: output:3:9: executing "output" at <.kind.foo>: can\'t evaluate field foo in type interface {}',
  ],
  [
    "\u00e9{{.kind.foo}}",
    'template: output:1:9: executing "output" at <.kind.foo>: can\'t evaluate field foo in type interface {}',
  ],
  [
    "{{ (len .kind).x }}",
    'template: output:1:8: executing "output" at <.kind>: can\'t evaluate field x in type int',
  ],
  [
    "{{ (.metadata).name }} {{ (.metadata.name).x }}",
    'template: output:1:36: executing "output" at <.metadata.name>: can\'t evaluate field x in type string',
  ],
  [
    "{{range .spec.mixed}}{{.x}}{{end}}",
    'template: output:1:23: executing "output" at <.x>: can\'t evaluate field x in type interface {}',
  ],
  [
    "{{with .spec.replicas}}{{.x}}{{end}}",
    'template: output:1:25: executing "output" at <.x>: can\'t evaluate field x in type int64',
  ],
  [
    "{{lt .spec.ratio 1}}",
    'template: output:1:2: executing "output" at <lt .spec.ratio 1>: error calling lt: incompatible types for comparison: float64 and int',
  ],
])("executeTemplate: %s fails", (template, message) => {
  expect(() => applied(template)).toThrow(expect.objectContaining({ message }));
});

each<[template: string, message: string]>([
  [
    "{{.missing}}",
    'template: output:1:2: executing "output" at <.missing>: map has no entry for key "missing"',
  ],
  [
    "{{.missing.x}}",
    'template: output:1:10: executing "output" at <.missing.x>: map has no entry for key "missing"',
  ],
  [
    "{{.metadata.nope}}",
    'template: output:1:11: executing "output" at <.metadata.nope>: map has no entry for key "nope"',
  ],
  [
    "{{.spec.none.x}}",
    'template: output:1:7: executing "output" at <.spec.none.x>: nil pointer evaluating interface {}.x',
  ],
  [
    "{{range .items}}{{end}}",
    'template: output:1:8: executing "output" at <.items>: map has no entry for key "items"',
  ],
  [
    "{{if .x}}{{end}}",
    'template: output:1:5: executing "output" at <.x>: map has no entry for key "x"',
  ],
  [
    "{{$x := .metadata}}{{$x.q}}",
    'template: output:1:23: executing "output" at <$x.q>: map has no entry for key "q"',
  ],
  [
    '{{(index .metadata.labels "q").r}}',
    'template: output:1:26: executing "output" at <"q">: nil data; no entry for key "r"',
  ],
  ['{{index .metadata.labels "q"}}', "<no value>"],
])("executeTemplate: %s where keys may not be missing", (template, message) => {
  const fails = message.startsWith("template: ");
  if (fails) expect(() => applied(template, true)).toThrow(expect.objectContaining({ message }));
  else expect(applied(template, true)).toBe(message);
});
