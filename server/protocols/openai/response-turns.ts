/**
 * Turns of Responses over a WebSocket: the requests that they are, and the items that the next turn continues. All of it stays JSON text, so
 * that every value is sent as it was written. Lists of items are the text between their brackets.
 */
import { isNamed, scanFields } from '#wire/json-scan'
import { type FieldChange, fieldEdits, splice } from '#wire/splice'

/** The fields of a frame that its request does not have. */
const ofFrames = ['type', 'generate', 'stream_id', 'background']

/** A valid `response.create` as the body of a streamed request; `before`: items that go before its input, in place of a previous response. */
export function requestOfTurn(frame: string, before: string | undefined): string {
  const spans = scanFields(frame)
  if (!spans) return frame
  const changes = new Map<string, FieldChange>(ofFrames.map((name) => [name, () => undefined]))
  changes.set('stream', () => 'true')
  if (before !== undefined) {
    changes.set('previous_response_id', () => undefined)
    changes.set('input', (input) => `[${joinItems(before, itemsIn(input))}]`)
  }
  return splice(frame, fieldEdits(frame, spans, changes))
}

/** The items of a request's input. */
export const inputOfTurn = (body: string): string => itemsIn(textAt(body, ['input']))

/** The items in the response of an event, which must be valid JSON. */
export const outputOfTurn = (event: string): string => itemsIn(textAt(event, ['response', 'output']))

export const joinItems = (...lists: readonly string[]): string => lists.filter((list) => list !== '').join(',')

function itemsIn(input: string | undefined): string {
  if (input === undefined || input === 'null') return ''
  return input.startsWith('[') ? input.slice(1, -1).trim() : `{"type":"message","role":"user","content":${input}}`
}

/** The text of the value at `path`; undefined if there is none. */
function textAt(json: string, path: readonly string[]): string | undefined {
  let [start, end] = [0, json.length]
  for (const name of path) {
    const field = scanFields(json, start)?.fields.find((one) => isNamed(json, one, name))
    if (!field) return undefined
    start = field.valueStart
    end = field.valueEnd
  }
  return json.slice(start, end)
}
