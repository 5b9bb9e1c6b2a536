/**
 * The next request as a program: curl, Python and TypeScript, for the public door. Only what is switched on is in it; the
 * key is always the environment's `API_KEY`, never a real one; Parley's own field `group` is left out, because a key has
 * its group.
 */
import type { ChatBody } from '../reply/body.ts'

export const languages = ['curl', 'python', 'typescript'] as const
export type SnippetLanguage = (typeof languages)[number]

/** `origin` is the address of this server, without a slash at the end. */
export function snippet(language: SnippetLanguage, body: ChatBody, origin: string): string {
  const { group: _, ...sent } = body
  switch (language) {
    case 'curl':
      return curl(sent, origin)
    case 'python':
      return python(sent, origin)
    case 'typescript':
      return typescript(sent, origin)
  }
}

type Sent = Record<string, unknown>

function curl(body: Sent, origin: string): string {
  // Inside single quotes only the single quote itself needs care.
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
  return [
    `curl ${body.stream ? '--no-buffer ' : ''}${origin}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${json}'`,
  ].join('\n')
}

function python(body: Sent, origin: string): string {
  const head = `import os\n\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${origin}/v1", api_key=os.environ["API_KEY"])\n`
  const call = (name: string) => `${name} = client.chat.completions.create(\n${pythonArguments(body)})\n`
  if (!body.stream) return `${head}\n${call('reply')}\nprint(reply.choices[0].message.content)\n`
  return `${head}\n${call('stream')}
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)
print()
`
}

const pythonArguments = (body: Sent): string =>
  Object.entries(body)
    .map(([name, value]) => `    ${name}=${pythonValue(value, 1)},\n`)
    .join('')

/** A JSON value as a Python literal. */
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

/** JSON's escapes are Python's too, but a character outside the basic plane needs its own form. */
const pythonString = (text: string): string =>
  JSON.stringify(text).replace(/\u2028|\u2029|\u007f/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

function typescript(body: Sent, origin: string): string {
  const head = `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.API_KEY })\n`
  const request = JSON.stringify(body, null, 2)
  if (!body.stream)
    return `${head}\nconst reply = await client.chat.completions.create(${request})\nconsole.log(reply.choices[0]?.message.content)\n`
  return `${head}\nconst stream = await client.chat.completions.create(${request})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')
console.log()
`
}
