import { For } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import type { Answering } from './answering.ts'
import { InstallationFacts } from './installation-facts.tsx'
import { t } from './messages.ts'
import { StepFrame } from './step-frame.tsx'

const later = [
  ['laterChannel', 'laterChannelWhy', '/admin/channels/new'],
  ['laterPrices', 'laterPricesWhy', '/admin/prices'],
  ['laterUsers', 'laterUsersWhy', '/admin/users?tab=invitations'],
] as const

/** The last step: a summary, and next steps. */
export function Ready(props: { answering: Answering; seconds: number; onGo(path: string): void }) {
  const took = () => {
    const [minutes, seconds] = [Math.floor(props.seconds / 60), props.seconds % 60]
    return minutes === 0 ? t('tookSeconds', { seconds }) : t('took', { minutes, seconds })
  }
  const made = () => (props.answering.ms === undefined ? t('madeDemo') : t('madeChannel', { count: props.answering.models }))
  return (
    <StepFrame
      title={t('readyTitle')}
      intro={`${made()} ${took()}`}
      step={4}
      buttons={
        <>
          <Button look="primary" size="lg" ref={(button) => requestAnimationFrame(() => button.focus())} onClick={() => props.onGo('/')}>
            {t('open')}
          </Button>
          <Button look="ghost" size="lg" onClick={() => props.onGo('/overview')}>
            {t('toOverview')}
          </Button>
        </>
      }
    >
      <InstallationFacts />
      <ul class="mt-5 grid max-w-[560px] gap-2">
        <For each={later}>
          {([title, why, path]) => (
            <li>
              <button type="button" class="gallery-card" onClick={() => props.onGo(path)}>
                <span class="grid min-w-0 flex-1 text-left">
                  <span>{t(title)}</span>
                  <span class="hint">{t(why)}</span>
                </span>
                <Icon name="right" />
              </button>
            </li>
          )}
        </For>
      </ul>
    </StepFrame>
  )
}
