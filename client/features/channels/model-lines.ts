/** Models as lines of text: a name, or `name=upstream`. Other fields of a model are kept. */
import type { NewChannel } from '#shared/console/channel'

type Models = NewChannel['models']

/** A model as the API has it. */
export type ChannelModel = Models[number]

/** The lines for these models. */
export const linesOf = (models: readonly ChannelModel[]): string =>
  models
    .map((model) =>
      typeof model === 'string' ? model : model.upstream && model.upstream !== model.name ? `${model.name}=${model.upstream}` : model.name,
    )
    .join('\n')

/** The models in these lines; existing models keep their capabilities. */
export function modelsOf(lines: string, before: readonly ChannelModel[] = []): Models {
  const known = new Map(before.flatMap((model) => (typeof model === 'string' ? [] : [[model.name, model] as const])))
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', upstream] = line.split('=').map((part) => part.trim())
      const capabilities = known.get(name)?.capabilities
      if (upstream === undefined && capabilities === undefined) return name
      return { name, ...(upstream !== undefined && { upstream }), ...(capabilities && { capabilities }) }
    })
}

/** The name under which a model is offered, and the upstream's. */
export const namesOf = (model: ChannelModel): { name: string; upstream: string } =>
  typeof model === 'string' ? { name: model, upstream: model } : { name: model.name, upstream: model.upstream ?? model.name }
