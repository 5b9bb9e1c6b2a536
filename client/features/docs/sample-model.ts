/** Samples name models of the demo, which is not there beside real channels: a call from the page names one that can be asked. */
import type { ModelRow } from '#shared/console/model'
import type { Operation } from '#shared/ids'

const named = /parley-demo(?:-(\w+))?/
/** What the models of the demo do, by the end of their name. */
const doneBy: Record<string, Operation> = {
  ...{ embed: 'embed', image: 'image', moderation: 'moderate', realtime: 'realtime', rerank: 'rerank' },
  ...{ speech: 'speak', transcribe: 'transcribe' },
}

/** Whether the sample names a model of the demo. */
export const namesDemo = (sample: string): boolean => named.test(sample)

/** The sample's model, and the one that stands for it: the first that does the same. Undefined where the sample's own can be asked, or none. */
export function usableInstead(
  sample: string,
  models: readonly Pick<ModelRow, 'id' | 'operations'>[],
): [from: string, to: string] | undefined {
  const [own, kind] = named.exec(sample) ?? []
  if (own === undefined || models.some(({ id }) => id === own)) return undefined
  const operation = kind === undefined ? 'generate' : doneBy[kind]
  const other = models.find(({ operations }) => operations.some((one) => one === operation))
  return other && [own, other.id]
}
