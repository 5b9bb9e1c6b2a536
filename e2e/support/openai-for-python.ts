/**
 * The part of Python's `openai` that a snippet uses, for machines without the package: the same names, and the same refusal
 * of an argument that `create` does not know. It really sends the request, with Python's own HTTP client.
 */
export const openaiForPython = `
import json
import urllib.request

KNOWN = {
    "messages", "model", "frequency_penalty", "max_completion_tokens", "max_tokens", "presence_penalty", "reasoning_effort",
    "response_format", "seed", "stop", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_p",
}


class Fields:
    """An answer whose fields are attributes; one that is missing is None, as in the package's models."""

    def __init__(self, values):
        self.__dict__.update({name: wrap(value) for name, value in values.items()})

    def __getattr__(self, name):
        return None


def wrap(value):
    if isinstance(value, dict):
        return Fields(value)
    return [wrap(one) for one in value] if isinstance(value, list) else value


def chunks(answer):
    for line in answer:
        data = line.decode().strip()
        if data.startswith("data: ") and data != "data: [DONE]":
            yield wrap(json.loads(data[6:]))


class OpenAI:
    def __init__(self, *, base_url, api_key):
        self.address = base_url.rstrip("/") + "/chat/completions"
        self.key = api_key
        self.chat = self.completions = self

    def create(self, **body):
        unknown = set(body) - KNOWN
        if unknown or not {"messages", "model"} <= set(body):
            raise TypeError(f"create() got unexpected or too few arguments: {sorted(unknown)}")
        headers = {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"}
        request = urllib.request.Request(self.address, json.dumps(body).encode(), headers)
        answer = urllib.request.urlopen(request, timeout=20)
        return chunks(answer) if body.get("stream") else wrap(json.load(answer))
`
