/** The requests that all subjects get. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A dialect of clients and of the provider. */
export type Dialect = 'chat' | 'messages'

/** The shape of one request. */
export interface Body {
  dialect: Dialect
  model: string
  stream: boolean
  /** Characters of the prompt. */
  characters: number
}

/** The path of a file in `folder` that holds this request. */
export function bodyFile(folder: string, body: Body): string {
  const file = join(folder, `${body.dialect}-${body.model.replace(/\W/g, '-')}-${body.stream ? 'stream' : 'whole'}-${body.characters}.json`)
  if (!existsSync(file)) writeFileSync(file, bodyText(body))
  return file
}

/** The text of a request. */
export function bodyText({ dialect, model, stream, characters }: Body): string {
  const question = { role: 'user', content: 'A question of ordinary length. '.repeat(characters / 31 + 1).slice(0, characters) }
  const instructions = 'You are a helpful assistant.'
  const chat = { messages: [{ role: 'system', content: instructions }, question], temperature: 0.7 }
  const messages = { system: instructions, messages: [question] }
  const usage = stream && dialect === 'chat' ? { stream_options: { include_usage: true } } : {}
  return JSON.stringify({ model, stream, max_tokens: 256, ...(dialect === 'chat' ? chat : messages), ...usage })
}
