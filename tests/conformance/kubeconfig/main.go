// Command kubeconfig writes cases for kubeconfig_conformance_test.cc: kubeconfig files with flags
// and overrides, and what client-go makes of them.
//
//	K  files (name contents)*  KUBECONFIG explicit context server
//	   upstream ours field*
//
// The files stand in a folder that both sides make for each case; in texts it is called @. upstream
// says whether client-go takes the configuration, ours whether we should: we refuse some that can
// only end in refusals by the server (see mustRefuse). The fields are there if both are 1.
package main

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"flyball.example/conformance/cases"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const howMany = 1500

type identity struct{ certificate, key string }

// issue makes the same certificate in every run.
func issue(seed byte, until time.Time) identity {
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(int64(seed)),
		Subject:               pkix.Name{CommonName: string(rune(seed))},
		NotBefore:             time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:              until,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der := cases.Must(x509.CreateCertificate(nil, template, template, key.Public(), key))
	private := cases.Must(x509.MarshalPKCS8PrivateKey(key))
	return identity{
		certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}

var (
	late    = time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC)
	first   = issue('a', late)
	second  = issue('b', late)
	expired = issue('c', time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC))
)

// beside are the files that configurations refer to.
var beside = map[string]string{
	"ca.crt": second.certificate, "u.crt": first.certificate, "u.key": first.key,
	"both.pem": first.certificate + first.key, "old.crt": expired.certificate,
	"old.key": expired.key, "token": " t0ken\n", "blank": " \n", "noise": "noise",
}

type object = map[string]any

type generator struct {
	*cases.Writer
	clean bool // leaves out what is surely refused
}

// set gives a field a value, or now and then something odd.
func (g *generator) set(into object, name string, probability float64, good []any, bad ...any) {
	if !g.Chance(probability) {
		return
	}
	switch {
	case !g.clean && len(bad) > 0 && g.Chance(0.15):
		into[name] = cases.Pick(g.Writer, bad)
	case !g.clean && g.Chance(0.02):
		into[name] = cases.Pick(g.Writer, []any{7, true, 1.5, []any{}, object{}, "x", []any{"x"}})
	case g.Chance(0.03):
		into[name] = nil
	default:
		into[name] = cases.Pick(g.Writer, good)
	}
}

func (g *generator) cluster() object {
	c := object{}
	g.set(c, "server", 0.95, []any{
		"https://10.0.0.1:6443", "https://host", "https://[fd00::1]:6443/p", "https://host/path/?q=1",
		"https://host:8443/", "HTTPS://Host", "http://host:8080", "host:8080", "10.0.0.1",
		"https://host#x", "https://host/a/b//",
	}, "", "host/path", "https://h:bad", "https://", "https://[::1")
	g.set(c, "tls-server-name", 0.2, []any{"kubernetes", ""})
	g.set(c, "disable-compression", 0.2, []any{true, false})
	g.set(c, "proxy-url", 0.2, []any{"http://proxy:3128", "https://user:p%40ss@proxy", "socks5://proxy", ""},
		"ftp://proxy", "://bad", "proxy:3128", "socks5h://proxy")
	switch g.Random.IntN(5) {
	case 0:
		g.set(c, "insecure-skip-tls-verify", 0.9, []any{true, false})
	case 1:
		g.set(c, "certificate-authority", 0.9, []any{"ca.crt", "./sub/../ca.crt", "@/ca.crt"}, "gone", "noise")
	case 2:
		g.set(c, "certificate-authority-data", 0.9, []any{[]byte(second.certificate)}, "no base64!", []byte("noise"))
	case 3:
		if !g.clean {
			g.set(c, "insecure-skip-tls-verify", 0.5, []any{true, false})
			g.set(c, "certificate-authority", 0.5, []any{"ca.crt"})
			g.set(c, "certificate-authority-data", 0.5, []any{[]byte(second.certificate)})
		}
	}
	if g.Chance(0.2) {
		c["extensions"] = []any{
			object{"name": "other", "extension": 5},
			object{"name": "client.authentication.k8s.io/exec", "extension": object{"audience": "a", "n": 3}},
		}
	}
	g.set(c, "unknown", 0.1, []any{5, "x", object{"y": nil}})
	return c
}

func (g *generator) exec() object {
	e := object{}
	g.set(e, "apiVersion", 0.97, []any{"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"},
		"client.authentication.k8s.io/v1alpha1", "v1", "")
	g.set(e, "command", 0.97, []any{"plugin", "./bin/plugin", "/bin/plugin", "../x"}, "")
	g.set(e, "args", 0.5, []any{[]any{"-v", "x y"}, []any{}, []any{nil}}, []any{5})
	g.set(e, "env", 0.5, []any{[]any{object{"name": "A", "value": "b"}}, []any{object{"name": "A"}}},
		[]any{object{"name": ""}}, []any{object{"value": "v"}})
	g.set(e, "interactiveMode", 0.8, []any{"Never", "IfAvailable", "Always"}, "Sometimes", "")
	g.set(e, "provideClusterInfo", 0.3, []any{true, false})
	g.set(e, "installHint", 0.3, []any{"get it"})
	return e
}

func (g *generator) user() object {
	u := object{}
	switch g.Random.IntN(8) {
	case 0:
		g.set(u, "token", 0.9, []any{"t", ""})
	case 1:
		g.set(u, "tokenFile", 0.9, []any{"token", "@/token", ""}, "gone", "blank")
		g.set(u, "token", 0.3, []any{"t"})
	case 2:
		pair := cases.Pick(g.Writer, [][]string{{"u.crt", "u.key"}, {"both.pem", "both.pem"}})
		if !g.clean && g.Chance(0.3) {
			pair = cases.Pick(g.Writer, [][]string{{"old.crt", "old.key"}, {"u.crt", "old.key"}, {"noise", "u.key"}, {"u.crt", "gone"}})
		}
		u["client-certificate"], u["client-key"] = pair[0], pair[1]
	case 3:
		g.set(u, "client-certificate-data", 0.95, []any{[]byte(first.certificate)}, []byte("noise"), "no base64!", []byte(second.certificate))
		g.set(u, "client-key-data", 0.95, []any{[]byte(first.key)}, []byte("noise"))
	case 4:
		u["exec"] = g.exec()
	case 5:
		if !g.clean {
			g.set(u, "client-certificate", 0.4, []any{"u.crt"})
			g.set(u, "client-certificate-data", 0.4, []any{[]byte(first.certificate)})
			g.set(u, "client-key", 0.4, []any{"u.key"})
			g.set(u, "client-key-data", 0.4, []any{[]byte(first.key)})
			g.set(u, "token", 0.3, []any{"t"})
			g.set(u, "tokenFile", 0.3, []any{"token"})
			g.set(u, "username", 0.3, []any{"n", ""})
			g.set(u, "password", 0.3, []any{"p"})
			g.set(u, "auth-provider", 0.2, []any{object{"name": "gcp"}, object{"name": "x", "config": object{"k": "v"}}})
			if g.Chance(0.3) {
				u["exec"] = g.exec()
			}
		}
	case 6:
		g.set(u, "username", 0.5, []any{"n"})
		g.set(u, "password", 0.5, []any{"p"})
	}
	if g.Chance(0.3) {
		if g.clean || g.Chance(0.8) {
			u["as"] = "jane"
		}
		g.set(u, "as-uid", 0.4, []any{"7", ""}, 7)
		g.set(u, "as-groups", 0.4, []any{[]any{"g", "h"}, []any{}}, "g")
		g.set(u, "as-user-extra", 0.4, []any{object{"k": []any{"v", "w"}, "Example.com/x": []any{"y"}}, object{}}, object{"k": "v"})
	}
	return u
}

func (g *generator) named(member string, names []string, make func() object) []any {
	likely := 0.8
	if g.clean {
		likely = 0.95
	}
	var list []any
	for _, name := range names {
		if !g.Chance(likely) {
			continue
		}
		list = append(list, object{"name": name, member: make()})
		if !g.clean && g.Chance(0.02) {
			list = append(list, object{"name": name, member: make()})
		}
	}
	return list
}

func (g *generator) config() string {
	names := []string{"a", "b"}
	if g.Chance(0.1) {
		names = append(names, "")
	}
	c := object{}
	g.set(c, "apiVersion", 0.9, []any{"v1"}, "v2", "apps/v1")
	g.set(c, "kind", 0.9, []any{"Config"}, "Pod")
	g.set(c, "current-context", 0.7, []any{"a", "b", ""}, "z")
	g.set(c, "preferences", 0.2, []any{object{}, object{"colors": true}}, 5)
	c["clusters"] = g.named("cluster", names, g.cluster)
	c["users"] = g.named("user", names, g.user)
	c["contexts"] = g.named("context", names, func() object {
		x := object{}
		g.set(x, "cluster", 0.97, []any{"a", "b"}, "z", "")
		g.set(x, "user", 0.95, []any{"a", "b"}, "z", "")
		g.set(x, "namespace", 0.4, []any{"n", "default", ""})
		return x
	})
	if !g.clean && g.Chance(0.02) {
		return cases.Pick(g.Writer, []string{"", "\n", "[]", "a: [", "# nothing", "null", "5", "a: b: c"})
	}
	// JSON is YAML, and bytes become base64.
	return string(cases.Must(json.MarshalIndent(c, "", " ")))
}

// mustRefuse says whether we refuse what client-go takes: a user that is not there (it goes on as
// nobody), and certificate files that do not parse, do not match or have expired (it finds out when
// it connects).
func mustRefuse(raw *clientcmdapi.Config, context string, config *rest.Config) bool {
	if context == "" {
		context = raw.CurrentContext
	}
	if chosen := raw.Contexts[context]; chosen != nil && chosen.AuthInfo != "" && raw.AuthInfos[chosen.AuthInfo] == nil {
		return true
	}
	certificate, key := bytesOf(config.CertData, config.CertFile), bytesOf(config.KeyData, config.KeyFile)
	if certificate == "" {
		return false
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	return err != nil || time.Now().After(pair.Leaf.NotAfter)
}

func bytesOf(data []byte, file string) string {
	if len(data) == 0 && file != "" {
		return string(cases.Must(os.ReadFile(file)))
	}
	return string(data)
}

// describe lists what a client would do with a configuration.
func describe(config *rest.Config, namespace, folder string) []any {
	url, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		cases.Fatal("%v", err)
	}
	text := func(s string) any { return cases.Text(strings.ReplaceAll(s, folder, "@")) }
	token := config.BearerToken
	if config.BearerTokenFile != "" {
		token = strings.TrimSpace(bytesOf(nil, config.BearerTokenFile))
	}
	fields := []any{
		text(url.Scheme), text(url.Hostname()), text(url.Port()), text(strings.TrimRight(url.Path, "/")),
		text(config.ServerName), config.Insecure, text(bytesOf(config.CAData, config.CAFile)),
		text(bytesOf(config.CertData, config.CertFile)), text(bytesOf(config.KeyData, config.KeyFile)),
		text(token), text(config.BearerTokenFile), text(namespace), config.DisableCompression,
	}
	proxy := ""
	if config.Proxy != nil {
		u := cases.Must(config.Proxy(cases.Must(http.NewRequest("GET", url.String(), nil))))
		password, _ := u.User.Password()
		proxy = strings.Join([]string{u.Scheme, u.User.Username(), password, u.Hostname(), u.Port()}, "|")
	}
	as := config.Impersonate
	var extra []string
	for key, values := range as.Extra {
		extra = append(extra, key+"="+strings.Join(values, ","))
	}
	sort.Strings(extra)
	fields = append(fields, text(proxy), text(as.UserName), text(as.UID), text(strings.Join(as.Groups, ",")),
		text(strings.Join(extra, ";")))
	exec := config.ExecProvider
	if exec == nil || token != "" || config.CertFile != "" || len(config.CertData) > 0 {
		return append(fields, false)
	}
	var env []string
	for _, variable := range exec.Env {
		env = append(env, variable.Name+"="+variable.Value)
	}
	return append(fields, true, text(exec.Command), text(strings.Join(exec.Args, ",")), text(strings.Join(env, ",")),
		text(exec.APIVersion), text(string(exec.InteractiveMode)), exec.ProvideClusterInfo, text(exec.InstallHint))
}

func (g *generator) one() {
	g.clean = g.Chance(0.6)
	folder := cases.Must(os.MkdirTemp("", "kubeconfig"))
	defer os.RemoveAll(folder)
	for name, contents := range beside {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(contents), 0o600); err != nil {
			cases.Fatal("%v", err)
		}
	}
	var files []any
	var names []string
	for _, name := range []string{"one", "two", "three"}[:1+g.Random.IntN(3)] {
		contents := g.config()
		if g.Chance(0.05) {
			names = append(names, "missing")
		}
		names = append(names, name)
		files = append(files, cases.Text(name), cases.Text(contents))
		full := strings.ReplaceAll(contents, "@/", folder+"/")
		if err := os.WriteFile(filepath.Join(folder, name), []byte(full), 0o600); err != nil {
			cases.Fatal("%v", err)
		}
	}
	rules := &clientcmd.ClientConfigLoadingRules{}
	for _, name := range names {
		rules.Precedence = append(rules.Precedence, filepath.Join(folder, name))
	}
	explicit := ""
	if g.Chance(0.2) {
		explicit = cases.Pick(g.Writer, append(names, "missing"))
		rules.ExplicitPath = filepath.Join(folder, explicit)
	}
	overrides := &clientcmd.ConfigOverrides{}
	if g.Chance(0.2) {
		overrides.CurrentContext = cases.Pick(g.Writer, []string{"a", "b", "z"})
	}
	if g.Chance(0.2) {
		overrides.ClusterInfo.Server = cases.Pick(g.Writer, []string{"https://master", "http://master:8080", "master:1"})
	}
	line := []any{len(files) / 2}
	line = append(line, files...)
	line = append(line, cases.Text(strings.Join(names, ":")), cases.Text(explicit),
		cases.Text(overrides.CurrentContext), cases.Text(overrides.ClusterInfo.Server))

	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if err == nil {
		_, err = rest.TransportFor(config)
	}
	if err == nil {
		_, _, err = rest.DefaultServerUrlFor(config)
	}
	if err != nil {
		g.Line("K", append(line, false, false)...)
		return
	}
	raw := cases.Must(loader.RawConfig())
	if mustRefuse(&raw, overrides.CurrentContext, config) {
		g.Line("K", append(line, true, false)...)
		return
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		cases.Fatal("%v", err)
	}
	g.Line("K", append(append(line, true, true), describe(config, namespace, folder)...)...)
}

func main() {
	g := &generator{Writer: cases.NewWriter()}
	for _, name := range []string{"ca.crt", "u.crt", "u.key", "both.pem", "old.crt", "old.key", "token", "blank", "noise"} {
		g.Line("F", cases.Text(name), cases.Text(beside[name]))
	}
	for range howMany {
		g.one()
	}
	g.Close()
}
