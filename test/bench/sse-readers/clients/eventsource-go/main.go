// Reads a stream with github.com/donovanhide/eventsource, which connects again by itself; prints events as lines of JSON.
// usage: eventsource KIND METHOD URL KEY BODY LAST_EVENT_ID_URL
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/donovanhide/eventsource"
)

func main() {
	request, err := http.NewRequest("GET", os.Args[3], nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Args[4])
	stream, err := eventsource.SubscribeWithRequest("", request)
	if err != nil {
		panic(err)
	}
	go func() {
		for problem := range stream.Errors {
			fmt.Fprintln(os.Stderr, problem)
		}
	}()
	for event := range stream.Events {
		text, _ := json.Marshal(map[string]string{"event": event.Event(), "id": event.Id(), "data": event.Data()})
		fmt.Println(string(text))
		if strings.Contains(event.Data(), `"type":"result"`) {
			return
		}
	}
}
