/** The capabilities of a model in short, for the tables of channels and prices. */
import type { CapabilityRow } from '#shared/console/model'
import { type Operation, operations } from '#shared/ids'
import { ts } from './messages.ts'

const skills = ['tools', 'vision', 'reasoning'] as const
/** Operations that are not a capability of the model, or are implied. */
const implied = ['generate', 'interact', 'compact', 'count-tokens', 'state'] as const satisfies Operation[]
const isListed = (operation: Operation): operation is Exclude<Operation, (typeof implied)[number]> =>
  !implied.some((one) => one === operation)
const tasks = operations.filter(isListed)

/** Features of a generating model, or the operations of any other model; undefined if nothing is known. */
export function capableText(row: Pick<CapabilityRow, 'operations' | 'capabilities'> | undefined): string | undefined {
  if (row === undefined) return undefined
  const answers = row.operations.includes('generate')
  const words = answers
    ? skills.filter((skill) => row.capabilities[skill] === true).map((skill) => ts(`can_${skill}`))
    : tasks.filter((task) => row.operations.includes(task)).map((task) => ts(`can_${task}`))
  return words.length > 0 ? words.join(', ') : undefined
}
