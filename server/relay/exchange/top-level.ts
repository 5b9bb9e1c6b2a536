/** The top-level fields of a raw body. Pure. */
import { scanFields } from '#wire/json-scan'

/** Tests whether a body has a field. The names are read once, at the first call: searching a long text for each costs more. */
export function topLevel(raw: string): (field: string) => boolean {
  let names: Set<string> | undefined
  const namesIn = () => new Set(scanFields(raw)?.fields.map(({ keyStart, keyEnd }) => raw.slice(keyStart, keyEnd)))
  return (field) => {
    names ??= namesIn()
    return names.has(`"${field}"`) || names.has(field)
  }
}
