/** Samples name demo models, which do not exist once there are real channels: calls from the page use an available model instead. */
import type { ModelRow } from '#shared/console/model'
import type { Operation } from '#shared/ids'

const named = /parley-demo(?:-(\w+))?/
/** Operations of the demo models by the end of their name. */
const operationBySuffix: Record<string, Operation> = {
  ...{ embed: 'embed', image: 'image', moderation: 'moderate', realtime: 'realtime', rerank: 'rerank' },
  ...{ speech: 'speak', transcribe: 'transcribe' },
}

/** Whether the sample names a demo model. */
export const namesDemo = (sample: string): boolean => named.test(sample)

/** The sample's model and its replacement: the first with the same operation. Undefined if the sample's own is available, or none is. */
export function substituteModel(
  sample: string,
  models: readonly Pick<ModelRow, 'id' | 'operations'>[],
): [from: string, to: string] | undefined {
  const [own, kind] = named.exec(sample) ?? []
  if (own === undefined || models.some(({ id }) => id === own)) return undefined
  const operation = kind === undefined ? 'generate' : operationBySuffix[kind]
  const other = models.find(({ operations }) => operations.some((one) => one === operation))
  return other && [own, other.id]
}
