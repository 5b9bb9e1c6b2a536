/** Interactions that an upstream itself answers and stores: bytes with spliced edits, the answer metered as it passes. */
import type { PassthroughCodec, RequestEdits } from '#canonical/codec'
import { parseObject, scanFields } from '#wire/json-scan'
import { demandExact, type FieldChange, fieldEdits, splice } from '#wire/splice'
import { readError, writeError } from '../../error.ts'
import { namedIn, readHead, scan } from './head.ts'
import { interactionMeter } from './meter.ts'
import { readWhole } from './whole.ts'

/** A text before the client's. Anything but a text is left for the upstream to refuse. */
const before =
  (prompt: string): FieldChange =>
  (json) => {
    const said: unknown = json === undefined ? '' : JSON.parse(json)
    return typeof said === 'string' ? JSON.stringify(said === '' ? prompt : `${prompt}\n\n${said}`) : json
  }

/** `raw` is a body that readHead accepted. Later changes win: remove, set, system prompt, and last the name of the model or agent. */
function editRequest(raw: string, { remove = [], set = {}, systemPrompt, model }: RequestEdits): string {
  const spans = scanFields(raw)
  if (!spans) return raw
  const changes = new Map<string, FieldChange>()
  for (const key of remove) changes.set(key, () => undefined)
  for (const [key, value] of Object.entries(set)) changes.set(key, () => JSON.stringify(value))
  if (systemPrompt !== undefined) changes.set('system_instruction', before(systemPrompt))
  if (model !== undefined) changes.set(namedIn(parseObject(raw) ?? {}), () => JSON.stringify(model))
  demandExact(raw, spans, changes.keys())
  return changes.size > 0 ? splice(raw, fieldEdits(raw, spans, changes)) : raw
}

const encoder = new TextEncoder()

/** The codec of interactions that pass. */
export const interactionCodec: PassthroughCodec = {
  dialect: 'gemini',
  scan,
  readHead,
  editRequest,
  meter: interactionMeter,
  readWhole,
  // A comment that is an event of its own: Google's SDK would drop an event that it is joined to.
  keepalive: encoder.encode(': keep-alive\n\n'),
  readError,
  writeError,
  writeStreamError({ code, message, publicCode }) {
    const event = { event_type: 'error', error: { code: publicCode ?? code, message } }
    return encoder.encode(`event: error\ndata: ${JSON.stringify(event)}\n\nevent: done\ndata: [DONE]\n\n`)
  },
}
