/** The targets of a replay: a chip for each target, the changed parameters, and the payer. */
import { createSignal, For, onMount, Show } from 'solid-js'
import { readTeams } from '#client/api/groups-and-models.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { Combo } from '#client/ui/console/combo-field.tsx'
import { FilterBar, FilterChip } from '#client/ui/console/filters.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import type { ModelRow } from '#shared/console/model'
import { type ReplayTarget, replayBounds } from '#shared/console/replay'
import { t } from './messages.ts'
import { targetText } from './target-text.ts'

const ParametersDialog = later(async () => (await import('./parameters-dialog.tsx')).ParametersDialog)

/** The user's choices. `team`: the id of the paying team; absent if the user pays. */
export interface Chosen {
  targets: readonly ReplayTarget[]
  team?: string | undefined
}

/** A controlled component: choices are reported by `onChange`. */
export function TargetsBar(props: { value: Chosen; onChange(chosen: Chosen): void }) {
  const [editing, setEditing] = createSignal(false)
  const [teams, setTeams] = createSignal<{ id: string; name: string }[]>([])
  // If the list fails, the choice stays.
  onMount(() => void readTeams().then(setTeams, () => undefined))
  const targets = () => props.value.targets
  /** The first target without its model. */
  const parameters = (): ReplayTarget => {
    const { model: _, ...rest } = targets()[0] ?? {}
    return rest
  }
  const set = (next: readonly ReplayTarget[]) => props.onChange({ ...props.value, targets: next.length === 0 ? [parameters()] : next })
  const add = (model: string) => {
    const others = targets().filter((target) => target.model !== undefined)
    if (!others.some((target) => target.model === model)) set([...others, { ...parameters(), model }])
  }
  return (
    <FilterBar>
      <span class="text-[13px] text-ink-2">{t('targets')}</span>
      <For each={targets()}>
        {(target) => (
          <Show when={targets().length > 1 || target.model !== undefined} fallback={<span class="chip">{nameOf(target)}</span>}>
            <button
              type="button"
              class="chip on"
              aria-label={`${nameOf(target)}, ×`}
              onClick={() => set(targets().filter((one) => one !== target))}
            >
              <b>{nameOf(target)}</b>
              <Icon name="x" small />
            </button>
          </Show>
        )}
      </For>
      <Show when={targets().length < replayBounds.targets}>
        <ModelChip team={props.value.team} onAdd={add} />
      </Show>
      <button type="button" class="chip" onClick={() => setEditing(true)}>
        {t('parameters')} <b>{changesText(targets())}</b>
        <Icon name="down" small />
      </button>
      <Show when={teams().length > 0 || props.value.team !== undefined}>
        <FilterChip
          label={t('paidBy')}
          none={t('you')}
          value={props.value.team ?? ''}
          options={teams().map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(team) => props.onChange({ ...props.value, team: team === '' ? undefined : team })}
        />
      </Show>
      <Show when={editing()}>
        <ParametersDialog
          target={targets()[0] ?? {}}
          onClose={() => setEditing(false)}
          onChange={(parameters: ReplayTarget) => {
            set(targets().map(({ model }) => ({ ...(model !== undefined && { model }), ...parameters })))
            setEditing(false)
          }}
        />
      </Show>
    </FilterBar>
  )
}

const nameOf = ({ set: _, remove: __, ...place }: ReplayTarget) => targetText(place)

/** The changes compared with the original; "various" if the targets differ. */
function changesText(targets: readonly ReplayTarget[]): string {
  const [count = 0, ...others] = new Set(targets.map(({ set, remove }) => Object.keys(set ?? {}).length + (remove?.length ?? 0)))
  if (others.length > 0) return t('variousChanges')
  return count === 0 ? t('asSent') : t('changed', { count })
}

/** Turns into a field for choosing one of the models that the payer may use. */
function ModelChip(props: { team: string | undefined; onAdd(model: string): void }) {
  const [open, setOpen] = createSignal(false)
  const offered = createLoad(
    () => (open() ? `/api/models${props.team === undefined ? '' : `?team=${encodeURIComponent(props.team)}`}` : undefined),
    async (path, signal) => (await readAll<ModelRow>(path, signal, 10_000)).map(({ id }) => id),
  )
  return (
    <Show
      when={open()}
      fallback={
        <button type="button" class="chip border-dashed" onClick={() => setOpen(true)}>
          <Icon name="plus" small />
          {t('model')}
        </button>
      }
    >
      <span class="w-56">
        <Combo
          label={t('model')}
          value=""
          options={offered.value() ?? []}
          mono
          focused
          onChange={(model) => {
            setOpen(false)
            props.onAdd(model)
          }}
          onLeave={() => setOpen(false)}
        />
      </span>
    </Show>
  )
}
