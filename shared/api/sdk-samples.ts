/** The most used endpoints by the vendors' own libraries, against the demo models. A test runs each as printed. */

/** A sample in Python or TypeScript. */
export interface SdkSample {
  /** `METHOD path` as the API document has it. */
  route: string
  language: 'Python' | 'TypeScript'
  text: string
}

const openaiPython = `import os
from openai import OpenAI

client = OpenAI(base_url=os.environ["PARLEY_URL"] + "/v1", api_key=os.environ["PARLEY_KEY"])
`
const openaiTypeScript = `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: \`\${process.env.PARLEY_URL}/v1\`, apiKey: process.env.PARLEY_KEY })
`

/** Every sample, two for each route. */
export const sdkSamples: readonly SdkSample[] = [
  {
    route: 'POST /v1/chat/completions',
    language: 'Python',
    text: `${openaiPython}stream = client.chat.completions.create(
    model="parley-demo",
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for part in stream:
    if part.choices:
        print(part.choices[0].delta.content or "", end="")`,
  },
  {
    route: 'POST /v1/chat/completions',
    language: 'TypeScript',
    text: `${openaiTypeScript}const stream = await client.chat.completions.create({
  model: 'parley-demo',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
})
for await (const part of stream) process.stdout.write(part.choices[0]?.delta?.content ?? '')`,
  },
  {
    route: 'POST /v1/responses',
    language: 'Python',
    text: `${openaiPython}response = client.responses.create(model="parley-demo", input="Hello")
print(response.output_text)`,
  },
  {
    route: 'POST /v1/responses',
    language: 'TypeScript',
    text: `${openaiTypeScript}const response = await client.responses.create({ model: 'parley-demo', input: 'Hello' })
console.log(response.output_text)`,
  },
  {
    route: 'POST /v1/messages',
    language: 'Python',
    text: `import os
from anthropic import Anthropic

client = Anthropic(base_url=os.environ["PARLEY_URL"], api_key=os.environ["PARLEY_KEY"])
message = client.messages.create(
    model="parley-demo",
    max_tokens=500,
    messages=[{"role": "user", "content": "Hello"}],
)
print(message.content[0].text)`,
  },
  {
    route: 'POST /v1/messages',
    language: 'TypeScript',
    text: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: process.env.PARLEY_URL, apiKey: process.env.PARLEY_KEY })
const message = await client.messages.create({
  model: 'parley-demo',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'Hello' }],
})
for (const block of message.content) if (block.type === 'text') console.log(block.text)`,
  },
  {
    route: 'POST /v1beta/models/{model}:generateContent',
    language: 'Python',
    text: `import os
from google import genai

client = genai.Client(api_key=os.environ["PARLEY_KEY"], http_options={"base_url": os.environ["PARLEY_URL"]})
response = client.models.generate_content(
    model="parley-demo",
    contents=[{"role": "user", "parts": [{"text": "Hello"}]}],
)
print(response.text)`,
  },
  {
    route: 'POST /v1beta/models/{model}:generateContent',
    language: 'TypeScript',
    text: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({ apiKey: process.env.PARLEY_KEY, httpOptions: { baseUrl: process.env.PARLEY_URL } })
const response = await client.models.generateContent({ model: 'parley-demo', contents: 'Hello' })
console.log(response.text)`,
  },
]
