/** Fields of an uploaded form, checked one by one: each throws GatewayError 400 with the field as `param`. */
import type { RequestEdits } from '#canonical/codec'
import type { Form, FormFile, Incoming } from '#canonical/operation/operation'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { missing, wrong } from './fields.ts'

type Part = Form['parts'][number]

const isFile = (part: Part): part is FormFile => 'open' in part

/** Throws `unsupported_media_type` for a body that is not a form. */
export function formOf(body: Incoming): Form {
  if (typeof body === 'string') throw new GatewayError('unsupported_media_type', 'The body must be a form: send multipart/form-data.')
  return body
}

/** The only text with this name; a duplicate would be ambiguous. */
export function formField({ parts }: Form, name: string): string | undefined {
  const found = parts.filter((part) => part.name === name)
  const [part] = found
  if (part === undefined) return undefined
  if (found.length > 1) throw wrong(name, 'sent once')
  if (isFile(part)) throw wrong(name, 'text, not a file')
  return part.value
}

/** Every text by its name, each sent once; those in lists (`image[0]`) are left out. Reads each part at most twice. */
export function formTexts({ parts }: Form): Map<string, string> {
  const seen = new Map<string, number>()
  const texts = new Map<string, string>()
  for (const part of parts) {
    const { name } = part
    if (name.endsWith(']')) continue
    seen.set(name, (seen.get(name) ?? 0) + 1)
    if (!isFile(part)) texts.set(name, part.value)
  }
  for (const name of texts.keys()) if ((seen.get(name) ?? 0) > 1) throw wrong(name, 'sent once')
  return texts
}

/** The texts of a form as the equivalent JSON: `video[id]` is a field of `video`. Throws GatewayError for one that is sent twice. */
export function nestedTexts(form: Form): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.fromEntries(formTexts(form))
  for (const part of form.parts) {
    const [, outer, inner] = /^(\w{1,64})\[(\w{1,64})\]$/.exec(part.name) ?? []
    if (outer === undefined || inner === undefined || isFile(part)) continue
    const known = fields[outer]
    const object = known === undefined ? {} : known
    if (!isObject(object) || Object.hasOwn(object, inner)) throw wrong(part.name, 'sent once')
    fields[outer] = { ...object, [inner]: part.value }
  }
  return fields
}

/** The one file with this name, which must not be empty. */
export function formFile({ parts }: Form, name: string): FormFile {
  const found = parts.filter((part) => part.name === name)
  const [file] = found
  if (file === undefined) throw missing(name)
  if (found.length > 1) throw wrong(name, 'a single file')
  if (!isFile(file)) throw wrong(name, 'a file')
  if (file.size === 0) throw wrong(name, 'a file that is not empty')
  return file
}

/** A flag as forms write it. Throws GatewayError 400. */
export function formFlag(form: Form, name: string): boolean | undefined {
  const value = formField(form, name)?.toLowerCase()
  if (value === undefined || value === '') return undefined
  if (value !== 'true' && value !== 'false') throw wrong(name, 'true or false')
  return value === 'true'
}

/** Parts in their order, with the closed list of edits; a declared field that is not text is written as JSON. */
export function editForm(body: Incoming, { model, set = {}, remove = [] }: RequestEdits): Form {
  const form = formOf(body)
  const values: Record<string, unknown> = { ...set, ...(model !== undefined && { model }) }
  const gone = new Set([...remove, ...Object.keys(set)])
  if (model !== undefined) gone.add('model')
  if (gone.size === 0) return form
  const added = Object.entries(values).map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }))
  return { ...form, parts: [...added, ...form.parts.filter(({ name }) => !gone.has(name))] }
}
