/** The demo model's input and output, independent of the wire format: readers make a prompt, the script a reply, writers write it. */

/** A tool the model may call. */
export interface DemoTool {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  parameters: unknown
}

/** The input of the demo model. */
export interface DemoPrompt {
  /** Number of messages. */
  messages: number
  /** True with a system prompt. */
  system: boolean
  /** Role of the last message. */
  last: 'user' | 'assistant' | 'tool'
  /** Text of the last user message without commands. */
  text: string
  commands: Commands
  /** One description per image. */
  images: string[]
  /** Parameters that the caller set, as written. */
  settings: string[]
  tools: DemoTool[]
  /** Names of tools that may be called now; empty = none. */
  callable: string[]
  /** True when parallel calls are allowed. */
  parallel: boolean
  /** Results of the model's last calls. */
  results: { tool: string; text: string }[]
  /** Set when JSON output is requested, with the schema if there is one. */
  json: { schema: unknown } | undefined
  /** True when reasoning is requested. */
  reasoning: boolean
  /** Maximum output in tokens. */
  maxOutput: number
  stops: string[]
  inputTokens: number
}

/** A tool call. */
export interface DemoCall {
  tool: string
  /** Arguments as JSON text. */
  arguments: string
}

/** The output of the demo model. */
export interface DemoReply {
  reasoning: string
  text: string
  calls: DemoCall[]
  finish: 'stop' | 'length' | 'tool_calls'
}

/** The commands in the last user message; see the table in `demo.ts`. */
export interface Commands {
  error: number | undefined
  cut: boolean
  /** Seconds before the answer. */
  delay: number
  /** Length of the answer in words. */
  long: number | undefined
  think: boolean
}

const command = /^[ \t]*\/(error|cut|delay|long|think)(?:[ \t]+(\d{1,5}))?[ \t]*(?:\r?\n|$)/gm

/** Separates the commands (each on its own line) from what a user wrote. */
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

/** The token estimate that the demo reports as usage: four bytes of UTF-8 per token. */
export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)
