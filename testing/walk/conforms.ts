/**
 * Whether a value conforms to an SDK's declaration: every field that its type requires is present, and of a kind that the type allows.
 * Absence counts as null.
 */
import type { Shape } from './sdk-types.ts'

/** The paths where it does not. Undeclared fields are allowed. */
export function faultsIn(value: unknown, shape: Shape, path = ''): string[] {
  switch (shape.kind) {
    case 'any':
      return []
    case 'text':
      return typeof value === 'string' ? [] : [`${path} is no text`]
    case 'number':
      return typeof value === 'number' ? [] : [`${path} is no number`]
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${path} is not true or false`]
    case 'literal':
      return value === shape.value ? [] : [`${path} is not ${shape.value}`]
    case 'list':
      if (!Array.isArray(value)) return [`${path} is no list`]
      return value.flatMap((item, index) => faultsIn(item, shape.item, `${path}[${index}]`))
    case 'union': {
      const faults = shape.members.map((member) => faultsIn(value, member, path))
      return faults.some((one) => one.length === 0) ? [] : (faults.sort((a, b) => a.length - b.length)[0] ?? [])
    }
    case 'object':
      return faultsInObject(value, shape, path)
  }
}

function faultsInObject(value: unknown, { fields }: Shape & { kind: 'object' }, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`]
  const body = value as Record<string, unknown>
  return fields.flatMap(({ name, optional, nullable, shape }) => {
    const [place, inner] = [path === '' ? name : `${path}.${name}`, body[name]]
    if (inner === undefined) return optional || nullable ? [] : [`${place} is missing`]
    if (inner === null) return nullable ? [] : [`${place} is null`]
    return faultsIn(inner, shape, place)
  })
}
