/** What the demo model sees and says, without any wire format: readers make a Prompt, the script a Reply, writers write it. */

export interface DemoTool {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  parameters: unknown
}

export interface DemoPrompt {
  /** Messages in the conversation. */
  messages: number
  /** Is there a system prompt? */
  system: boolean
  /** Who spoke last. */
  last: 'user' | 'assistant' | 'tool'
  /** Text of the last user message, commands taken out. */
  text: string
  commands: Commands
  /** One description per image, in words. */
  images: string[]
  /** Parameters that the caller set, as written. */
  settings: string[]
  tools: DemoTool[]
  /** Names of tools that may be called now; empty = none. */
  callable: string[]
  /** Several calls at once are welcome. */
  parallel: boolean
  /** Results of the calls that the model made last. */
  results: { tool: string; text: string }[]
  /** JSON is asked for, perhaps of a schema. */
  json: { schema: unknown } | undefined
  /** Think aloud before answering. */
  reasoning: boolean
  /** Tokens. */
  maxOutput: number
  stops: string[]
  inputTokens: number
}

export interface DemoCall {
  tool: string
  /** JSON. */
  arguments: string
}

export interface DemoReply {
  reasoning: string
  text: string
  calls: DemoCall[]
  finish: 'stop' | 'length' | 'tool_calls'
}

/** What the last user message orders; see the table in `demo.ts`. */
export interface Commands {
  error: number | undefined
  cut: boolean
  /** Seconds. */
  delay: number
  /** Words. */
  long: number | undefined
  think: boolean
}

const command = /^[ \t]*\/(error|cut|delay|long|think)(?:[ \t]+(\d{1,5}))?[ \t]*(?:\r?\n|$)/gm

/** Takes the commands (each on its own line) out of what a user wrote. */
export function readCommands(written: string): { text: string; commands: Commands } {
  const given = new Map(
    [...written.matchAll(command)].map(([, name = '', value]) => [name, value === undefined ? undefined : Number(value)]),
  )
  const status = given.get('error') ?? 500
  return {
    text: written.replace(command, '').trim(),
    commands: {
      error: given.has('error') ? Math.min(599, Math.max(400, status)) : undefined,
      cut: given.has('cut'),
      delay: given.has('delay') ? Math.min(600, given.get('delay') ?? 3) : 0,
      long: given.has('long') ? (given.get('long') ?? 500) : undefined,
      think: given.has('think'),
    },
  }
}

/** The honest estimate that the demo bills by: a token is four bytes of UTF-8. */
export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)
