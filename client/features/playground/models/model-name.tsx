/** Label and content of the model button, the same before and after its list is loaded. */
import { t } from '#client/features/playground/messages/messages.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { Icon } from '#client/ui/icon.tsx'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'

/** Props for choosing a model. */
export interface ModelChoiceProps {
  rows: ModelRow[]
  model: string | null
  group: GroupRow | undefined
  /** Shown above the list. */
  note?: string | undefined
  /** The models are still loading. */
  loading?: boolean
  onChoose(model: string): void
}

/** Accessible name of the model button. */
export const modelLabel = (props: ModelChoiceProps): string => t('modelIs', { model: nameOf(props) })

const nameOf = (props: ModelChoiceProps): string => revealHiddenCharacters(props.model ?? t(props.loading ? 'loadingModels' : 'noModel'))

/** Content of the model button. */
export function ModelName(props: ModelChoiceProps) {
  return (
    <>
      <b class="truncate">{nameOf(props)}</b>
      <Icon name="down" small />
    </>
  )
}
