/** What other channels still serve when a channel is turned off. */
import type { ChannelRow } from '#shared/console/channel'

type Offering = Pick<ChannelRow, 'id' | 'name' | 'enabled' | 'groups' | 'models'>

/** Which models of a channel others serve too. */
export interface Reach {
  /** Names of other enabled channels that serve one of its models to one of its groups, in order. */
  others: string[]
  /** Its models, as callers name them. */
  models: string[]
  /** Those of `models` that no other channel serves to every group of the channel. */
  alone: string[]
}

/** What the other channels among `all` serve of the models of `channel`. */
export function reachOf(channel: Offering, all: readonly Offering[]): Reach {
  const models = [...new Set(namesOf(channel))]
  const alternatives = all.filter(
    (one) => one.id !== channel.id && one.enabled && one.groups.some((group) => channel.groups.includes(group)),
  )
  const serves = (model: string, group: string) => alternatives.some((one) => one.groups.includes(group) && namesOf(one).includes(model))
  return {
    others: alternatives.filter((one) => namesOf(one).some((name) => models.includes(name))).map(({ name }) => name),
    models,
    alone: models.filter((model) => !channel.groups.every((group) => serves(model, group))),
  }
}

const namesOf = ({ models }: Offering): string[] => models.map((model) => (typeof model === 'string' ? model : model.name))
