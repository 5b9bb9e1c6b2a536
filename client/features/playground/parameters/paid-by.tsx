import { createSignal, onMount, Show } from 'solid-js'
import { readTeams } from '#client/api/groups-and-models.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { Icon } from '#client/ui/icon.tsx'
import { Menu } from '#client/ui/menu.tsx'

/** Who pays for the conversation, for team members. `team`: an id; undefined is the user. */
export function PaidBy(props: { team: string | undefined; onChange(team: string | undefined): void }) {
  const [teams, setTeams] = createSignal<{ id: string; name: string }[]>([])
  // If the list fails, the choice stays: chatting works without it.
  onMount(() => void readTeams().then(setTeams, () => undefined))
  const chosen = () => teams().find(({ id }) => id === props.team)?.name ?? props.team ?? t('paidByMe')
  return (
    <Show when={teams().length > 0 || props.team !== undefined}>
      <section class="sec">
        <div class="kv">
          <span>{t('paidBy')}</span>
          <Menu
            label={t('paidByIs', { payer: chosen() })}
            triggerClass="sel -mr-2"
            trigger={
              <>
                <b>{chosen()}</b>
                <Icon name="down" small />
              </>
            }
            items={() => [
              {
                kind: 'choice',
                label: t('paidBy'),
                value: props.team ?? '',
                options: [{ value: '', label: t('paidByMe') }, ...teams().map(({ id, name }) => ({ value: id, label: name }))],
                onChange: (value) => props.onChange(value === '' ? undefined : value),
              },
            ]}
          />
        </div>
      </section>
    </Show>
  )
}
