/**
 * The parts of the vendors' Python packages that snippets use, for machines without them: the same names, and the same refusal of unknown
 * arguments. They really send the request, with Python's own HTTP client.
 */
const shared = `
import json
import urllib.request


class Fields:
    """An answer whose fields are attributes; one that is missing is None, as in the packages' models."""

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


def refuse_unknown(body, known, needed):
    unknown = set(body) - set(known.split())
    if unknown or not set(needed.split()) <= set(body):
        raise TypeError(f"unexpected or too few arguments: {sorted(unknown)}")


def ask(address, headers, body, stream):
    request = urllib.request.Request(address, json.dumps(body).encode(), {**headers, "Content-Type": "application/json"})
    answer = urllib.request.urlopen(request, timeout=20)
    return chunks(answer) if stream else wrap(json.load(answer))
`

const openai = `
from asked_plainly import ask, refuse_unknown

CHAT = """messages model frequency_penalty max_completion_tokens max_tokens presence_penalty reasoning_effort
    response_format seed stop stream stream_options temperature tool_choice tools top_p"""
RESPONSES = """input model include instructions max_output_tokens parallel_tool_calls reasoning store stream temperature text
    tool_choice tools top_p"""


class Endpoint:
    def __init__(self, address, key, known, needed):
        self.address, self.headers, self.known, self.needed = address, {"Authorization": "Bearer " + key}, known, needed

    def create(self, **body):
        refuse_unknown(body, self.known, self.needed)
        answer = ask(self.address, self.headers, body, body.get("stream"))
        if not body.get("stream"):
            answer.output_text = "".join(
                part.text for item in answer.output or [] for part in item.content or [] if part.type == "output_text"
            )
        return answer


class OpenAI:
    def __init__(self, *, base_url, api_key):
        self.chat = self
        self.completions = Endpoint(base_url + "/chat/completions", api_key, CHAT, "messages model")
        self.responses = Endpoint(base_url + "/responses", api_key, RESPONSES, "input model")
`

const anthropic = `
from asked_plainly import ask, refuse_unknown

KNOWN = "max_tokens messages model metadata output_config service_tier stop_sequences stream system thinking tool_choice tools"


class Anthropic:
    def __init__(self, *, base_url, api_key):
        self.address = base_url + "/v1/messages"
        self.headers = {"Authorization": "Bearer " + api_key, "anthropic-version": "2026-10-21"}
        self.messages = self

    def create(self, *, extra_headers={}, extra_body={}, **body):
        refuse_unknown(body, KNOWN, "max_tokens messages model")
        return ask(self.address, {**self.headers, **extra_headers}, {**body, **extra_body}, body.get("stream"))
`

const genai = `
from asked_plainly import ask, refuse_unknown

BESIDE = "systemInstruction tools toolConfig safetySettings cachedContent serviceTier"
WITHIN = """temperature topP topK candidateCount maxOutputTokens stopSequences presencePenalty frequencyPenalty seed
    responseMimeType responseSchema responseJsonSchema thinkingConfig"""


class Client:
    def __init__(self, *, api_key, http_options):
        self.address = http_options["base_url"] + "/v1beta/models/"
        self.headers = {"x-goog-api-key": api_key}
        self.models = self

    def post(self, model, action, contents, config, stream):
        refuse_unknown(config, BESIDE + " " + WITHIN, "")
        body = {"contents": contents, **{name: value for name, value in config.items() if name in BESIDE.split()}}
        within = {name: value for name, value in config.items() if name in WITHIN.split()}
        if within:
            body["generationConfig"] = within
        return ask(self.address + model + ":" + action, self.headers, body, stream)

    def generate_content(self, *, model, contents, config={}):
        return said(self.post(model, "generateContent", contents, config, False))

    def generate_content_stream(self, *, model, contents, config={}):
        return map(said, self.post(model, "streamGenerateContent?alt=sse", contents, config, True))


def said(answer):
    answer.text = "".join(part.text or "" for part in answer.candidates[0].content.parts)
    return answer
`

/** Sources by the module that a snippet imports. */
export const pythonPackages: Readonly<Record<string, string>> = { openai, anthropic, 'google.genai': genai }

/** The module that all of them import, as `asked_plainly`. */
export const pythonShared = shared
