/** Which fields a raw body has. Pure. */
import { scanFields } from '#wire/json-scan'

/** Whether a body has a field. Its names are read once, when first asked for: searching a long text for each costs more. */
export function topLevel(raw: string): (field: string) => boolean {
  let names: Set<string> | undefined
  const namesIn = () => new Set(scanFields(raw)?.fields.map(({ keyStart, keyEnd }) => raw.slice(keyStart, keyEnd)))
  return (field) => {
    names ??= namesIn()
    return names.has(`"${field}"`) || names.has(field)
  }
}
