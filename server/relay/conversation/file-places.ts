/**
 * Finds references to files stored by Parley in a request, and replaces them with the bytes. Pure: large requests are handled by the
 * worker.
 */

import type { FileContent, FilePlace, FilePlaceIn } from '#canonical/kept-file'
import { filePlaces } from '#protocols/files'
import { parseExact } from '#shared/exact-numbers'
import type { Wire } from '#shared/ids'
import { isObject } from '#shared/json'
import { scanFields } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'

const deepest = 64

/** The ids of the files that a request names, without duplicates; none for invalid JSON. */
export function fileIds(text: string, wire: Wire): string[] {
  const ids = new Set<string>()
  const placeIn = filePlaces[wire]
  if (placeIn) placed(parsed(text), placeIn, ({ id }) => void ids.add(id))
  return [...ids]
}

/** The request with these files inserted: only fields that contain one are rewritten. */
export function withFiles(text: string, wire: Wire, files: ReadonlyMap<string, FileContent>): string {
  const value = parsed(text)
  const spans = scanFields(text)
  const placeIn = filePlaces[wire]
  if (!placeIn || !spans || !isObject(value)) return text
  const put = (place: FilePlace) => {
    const file = files.get(place.id)
    return file && place.with(file)
  }
  const changes = Object.entries(value).flatMap(([name, inside]) => {
    const anew = placed(inside, placeIn, put)
    return anew === inside ? [] : [[name, () => JSON.stringify(anew)] as const]
  })
  return splice(text, fieldEdits(text, spans, new Map(changes)))
}

function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    // Its codec will report the error.
    return undefined
  }
}

/** The value with every file reference replaced by the result of `put`; the same value if there is none. */
function placed(value: unknown, placeIn: FilePlaceIn, put: (place: FilePlace) => unknown, depth = 0): unknown {
  if (depth > deepest) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => placed(item, placeIn, put, depth + 1))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const place = placeIn(value)
  if (place) return put(place) ?? value
  const fields = Object.entries(value).map(([name, inside]) => [name, placed(inside, placeIn, put, depth + 1)] as const)
  return fields.some(([name, inside]) => inside !== value[name]) ? Object.fromEntries(fields) : value
}
