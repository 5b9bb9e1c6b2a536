import type { PreviewDialect } from '#client/features/playground/dialects/rewritten-request.ts'
import { type Call, libraryArguments, olderFields, olderVersion } from './call.ts'

interface Program {
  imports: string
  client: string
  /** The call without and with streaming. */
  calls: [whole: string, streamed: string]
  printsWhole: string
  /** A statement that writes what an event adds to the answer. */
  printsEvent: string
}

const openai = { imports: "OpenAI from 'openai'", client: "OpenAI({ baseURL: 'ORIGIN/v1', apiKey: KEY })" }

const programs: Record<PreviewDialect, Program> = {
  chat: {
    ...openai,
    calls: ['chat.completions.create', 'chat.completions.create'],
    printsWhole: 'console.log(reply.choices[0]?.message.content)',
    printsEvent: "process.stdout.write(event.choices[0]?.delta?.content ?? '')",
  },
  responses: {
    ...openai,
    calls: ['responses.create', 'responses.create'],
    printsWhole: 'console.log(reply.output_text)',
    printsEvent: "if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)",
  },
  messages: {
    imports: "Anthropic from '@anthropic-ai/sdk'",
    client: "Anthropic({ baseURL: 'ORIGIN', apiKey: KEY })",
    calls: ['messages.create', 'messages.create'],
    printsWhole: "console.log(reply.content.map((block) => (block.type === 'text' ? block.text : '')).join(''))",
    printsEvent: "if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)",
  },
  gemini: {
    imports: "{ GoogleGenAI } from '@google/genai'",
    client: "GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: 'ORIGIN' } })",
    calls: ['models.generateContent', 'models.generateContentStream'],
    printsWhole: 'console.log(reply.text)',
    printsEvent: "process.stdout.write(event.text ?? '')",
  },
}

/** The call as a TypeScript program with the vendor's own package. */
export function typescript(call: Call): string {
  const { imports, client, calls, printsWhole, printsEvent } = programs[call.dialect]
  const made = client.replace('ORIGIN', call.origin).replace('KEY', 'process.env.API_KEY')
  const head = `import ${imports}\n\nconst client = new ${made}\n`
  const request = argumentsOf(call)
  if (!call.stream) return `${head}\nconst reply = await client.${calls[0]}(${request})\n${printsWhole}\n`
  return `${head}\nconst stream = await client.${calls[1]}(${request})\nfor await (const event of stream) {\n  ${printsEvent}\n}\nconsole.log()\n`
}

function argumentsOf(call: Call): string {
  const request = JSON.stringify(libraryArguments(call), null, 2)
  const older = olderFields(call)
  if (Object.keys(older).length === 0) return request
  // Spread, because the library's types no longer have these fields.
  const fields = JSON.stringify(older, null, 2).replaceAll('\n', '\n  ')
  return `${request.slice(0, -2)},\n  ...${fields}\n}, { headers: { 'anthropic-version': '${olderVersion}' } }`
}
