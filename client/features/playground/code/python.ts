import type { PreviewDialect } from '#client/features/playground/dialects/rewritten-request.ts'
import { type Call, libraryArguments, olderFields, olderVersion } from './call.ts'

interface Program {
  from: string
  client: string
  /** The call without and with streaming. */
  calls: [whole: string, streamed: string]
  printsWhole: string
  /** The body of the loop over a stream's events. */
  printsEvent: string
}

const openai = { from: 'openai import OpenAI', client: 'OpenAI(base_url="ORIGIN/v1", api_key=KEY)' }

const programs: Record<PreviewDialect, Program> = {
  chat: {
    ...openai,
    calls: ['chat.completions.create', 'chat.completions.create'],
    printsWhole: 'print(reply.choices[0].message.content)',
    printsEvent: `if event.choices and event.choices[0].delta.content:
        print(event.choices[0].delta.content, end="", flush=True)`,
  },
  responses: {
    ...openai,
    calls: ['responses.create', 'responses.create'],
    printsWhole: 'print(reply.output_text)',
    printsEvent: `if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`,
  },
  messages: {
    from: 'anthropic import Anthropic',
    client: 'Anthropic(base_url="ORIGIN", api_key=KEY)',
    calls: ['messages.create', 'messages.create'],
    printsWhole: 'print("".join(block.text for block in reply.content if block.type == "text"))',
    printsEvent: `if event.type == "content_block_delta" and event.delta.type == "text_delta":
        print(event.delta.text, end="", flush=True)`,
  },
  gemini: {
    from: 'google import genai',
    client: 'genai.Client(api_key=KEY, http_options={"base_url": "ORIGIN"})',
    calls: ['models.generate_content', 'models.generate_content_stream'],
    printsWhole: 'print(reply.text)',
    printsEvent: 'print(event.text or "", end="", flush=True)',
  },
}

/** The call as a Python program with the vendor's own package. */
export function python(call: Call): string {
  const { from, client, calls, printsWhole, printsEvent } = programs[call.dialect]
  const made = client.replace('ORIGIN', call.origin).replace('KEY', 'os.environ["API_KEY"]')
  const head = `import os\n\nfrom ${from}\n\nclient = ${made}\n`
  const create = (name: string, method: string) =>
    `${name} = client.${method}(\n${keywords({ ...libraryArguments(call), ...extras(call) })})\n`
  if (!call.stream) return `${head}\n${create('reply', calls[0])}\n${printsWhole}\n`
  return `${head}\n${create('stream', calls[1])}\nfor event in stream:\n    ${printsEvent}\nprint()\n`
}

/** Fields that this package does not know, passed as extras. */
function extras(call: Call): Record<string, unknown> {
  const fields = olderFields(call)
  return Object.keys(fields).length === 0 ? {} : { extra_headers: { 'anthropic-version': olderVersion }, extra_body: fields }
}

const keywords = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .map(([name, value]) => `    ${name}=${pythonValue(value, 1)},\n`)
    .join('')

/** A JSON value as a Python literal, indented for `depth`. */
export function pythonValue(value: unknown, depth = 0): string {
  const pad = '    '.repeat(depth + 1)
  const end = '    '.repeat(depth)
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return pythonString(value)
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((one) => `${pad}${pythonValue(one, depth + 1)},\n`).join('')}${end}]`
  }
  if (typeof value === 'object') {
    const rows = Object.entries(value).map(([name, one]) => `${pad}${pythonString(name)}: ${pythonValue(one, depth + 1)},\n`)
    return rows.length === 0 ? '{}' : `{\n${rows.join('')}${end}}`
  }
  return String(value)
}

/** JSON escapes are valid in Python, except that line separators must be escaped too. */
const pythonString = (text: string): string =>
  JSON.stringify(text).replace(/\u2028|\u2029|\u007f/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
