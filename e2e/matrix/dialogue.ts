/** Conversations independent of any dialect: the input of the clients in `clients.ts`, and their results. */

/** Base64 data, or a URL. */
export type Attachment = { mime: string } & ({ data: string } | { url: string })

/** A tool call. */
export interface Call {
  /** Gemini may give none. */
  id: string | undefined
  name: string
  args: unknown
}

/** A tool result. */
export interface Result {
  call: Call
  text: string
  failed?: boolean
  image?: { mime: string; data: string }
}

/** One turn of a conversation. */
export type Turn = { user: string; attached?: Attachment } | { assistant: string } | { answer: Answer } | { results: Result[] }

/** A request for a client to send. */
export interface Question {
  model: string
  turns: Turn[]
  stream: boolean
  system?: string
  /** Function names; those that begin with `empty` have no parameters, the others have a city. */
  tools?: string[]
  force?: string
  schema?: Record<string, unknown>
  stop?: string
  limit?: number
  thinks?: boolean
  signal?: AbortSignal
  /** Called with each piece of text of a stream. */
  onText?: (piece: string) => void
}

/** `other`: a reason that the SDK has no value for; `none`: no reason was given. */
export type Ending = 'stop' | 'calls' | 'length' | 'refusal' | 'filter' | 'other' | 'none'

/** What a client received. */
export interface Answer {
  text: string
  thought: string
  calls: Call[]
  ending: Ending
  /** Tokens: all input, the cached part of it, all output. */
  usage: { in: number; cached: number; out: number }
  /** The model's turn in the dialect's own form. */
  own: unknown
}

/** Asks one question; rejects with what the SDK throws. */
export type Ask = (question: Question) => Promise<Answer>

/** What a user of the SDK can learn from what it threw. */
export type Fault =
  /** A response with this status, as the SDK's own error class. */
  | { kind: 'status'; status: number }
  /** An error of the upstream or the gateway inside a stream, as the SDK reports it. */
  | { kind: 'stream' }
  /** The caller aborted. */
  | { kind: 'left' }
  /** Anything else: malformed bytes, a broken connection, a bug. */
  | { kind: 'unknown'; thrown: unknown }

export const dialects = ['chat', 'completions', 'responses', 'messages', 'gemini'] as const

/** A dialect of clients. */
export type Dialect = (typeof dialects)[number]

/** One SDK, or one of its APIs. */
export interface Client {
  dialect: Dialect
  connect: (url: string, key: string) => Ask
  faultOf: (thrown: unknown) => Fault
  /** The SDK's name for an ending, where it differs. */
  words?: Partial<Record<Ending, Ending>>
  /** Prefix of every model name, for an SDK that depends on names. */
  prefix?: string
  /** A tool's result as the model receives it, where the SDK wraps it. */
  wraps?: (tool: string, text: string, failed: boolean) => string
  /** Why the SDK does not show thoughts. */
  hidesThoughts?: string
  /** Conversations that the SDK itself cannot express, and why. */
  cannot?: Readonly<Record<string, string>>
}

/** The parameter schema of a tool by its name. */
export const parametersOf = (name: string) => ({
  type: 'object' as const,
  properties: name.startsWith('empty') ? {} : { city: { type: 'string' as const } },
  additionalProperties: false,
})

/** The URL of an attachment; a data URL if the bytes are given. */
export const urlOf = (attached: Attachment): string => ('url' in attached ? attached.url : `data:${attached.mime};base64,${attached.data}`)
