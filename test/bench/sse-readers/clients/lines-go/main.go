// Reads a stream with bufio, by lines, and prints each event as a line of JSON.
// usage: lines KIND METHOD URL KEY BODY LAST_EVENT_ID_URL; KIND is bufio-reader or bufio-scanner.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

type read struct {
	Event string `json:"event"`
	Id    string `json:"id"`
	Data  string `json:"data"`
}

var last string
var over bool

func put(event, id, data string) {
	text, _ := json.Marshal(read{event, id, data})
	fmt.Println(string(text))
	if id != "" {
		last = id
	}
	over = over || strings.Contains(data, `"type":"result"`)
}

// lines calls hear with each line, without its end.
func lines(kind string, body io.Reader, hear func(string)) error {
	if kind == "bufio-scanner" {
		scanner := bufio.NewScanner(body)
		scanner.Buffer(nil, 16<<20)
		for !over && scanner.Scan() {
			hear(scanner.Text())
		}
		return scanner.Err()
	}
	reader := bufio.NewReader(body)
	for !over {
		line, err := reader.ReadString('\n')
		if err != nil {
			return err
		}
		hear(strings.TrimSuffix(line, "\n"))
	}
	return nil
}

func stream(kind, method, url, key, body string) error {
	var content io.Reader
	if method == "POST" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequest(method, url, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Content-Type", "application/json")
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var event, id, data string
	has := false
	return lines(kind, response.Body, func(line string) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && has:
			put(event, id, data)
			event, data, has = "", "", false
		case line == "" || name == "" || name == "retry":
		case name == "data":
			data, has = value, true
		case name == "id":
			id = value
		case name == "event":
			event = value
		default:
			put("?", id, line)
		}
	})
}

func main() {
	kind, method, url, key, body, again := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6]
	for attempt := 0; attempt < 20 && !over; attempt++ {
		if err := stream(kind, method, url, key, body); err != nil && !over {
			fmt.Fprintln(os.Stderr, err)
			time.Sleep(200 * time.Millisecond)
		}
		method, url = "GET", again
	}
}
