/** Which fields a raw body has. Pure. */
import { scanFields } from '#wire/json-scan'

/** Whether a body has a field; it is read only when the name stands anywhere in it. */
export function topLevel(raw: string): (field: string) => boolean {
  let names: Set<string> | undefined
  const namesIn = () => new Set(scanFields(raw)?.fields.map(({ keyStart, keyEnd }) => raw.slice(keyStart, keyEnd)))
  return (field) => {
    if (!raw.includes(`"${field}"`)) return false
    names ??= namesIn()
    return names.has(`"${field}"`) || names.has(field)
  }
}
