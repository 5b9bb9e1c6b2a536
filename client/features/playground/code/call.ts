/** A request to the public API as a program would send it. */
import type { PreviewDialect } from '#client/features/playground/dialects/rewritten-request.ts'

/** The request: dialect, body without Parley's own fields, and address. */
export interface Call {
  dialect: PreviewDialect
  model: string
  stream: boolean
  body: Record<string, unknown>
  /** The address of this server, without a slash at the end. */
  origin: string
}

/** Arguments of the vendor's own library, in the order in which people write them. */
export function libraryArguments(call: Call): Record<string, unknown> {
  const { dialect, model, body } = call
  if (dialect !== 'gemini') return without(body, Object.keys(olderFields(call)))
  // Google's libraries take everything but the conversation in one flat `config`.
  const { contents, generationConfig, ...others } = body
  const config = { ...others, ...(isObject(generationConfig) ? generationConfig : {}) }
  return { model, contents, ...(Object.keys(config).length > 0 && { config }) }
}

/** The version of the Messages API that still takes sampling fields. */
export const olderVersion = '2023-06-01'
const sampling = ['temperature', 'top_p', 'top_k']

/** Fields that the newest Messages libraries dropped and only the older API version takes; empty otherwise. */
export const olderFields = ({ dialect, body }: Call): Record<string, unknown> =>
  dialect === 'messages' ? Object.fromEntries(Object.entries(body).filter(([name]) => sampling.includes(name))) : {}

const without = (fields: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
