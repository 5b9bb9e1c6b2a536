import { For } from 'solid-js'
import { readStatus, signOut } from '#client/api/account.ts'
import { passkeysHere } from '#client/api/proofs.ts'
import { createLoad } from '#client/console/load.ts'
import { SplitPage } from '#client/console/split-page.tsx'
import { Button } from '#client/ui/button.tsx'
import { Icon, type IconName } from '#client/ui/icon.tsx'
import { FactorsCard } from './factors-card.tsx'
import { t } from './messages.ts'

/** For signed-in users who must add a second factor before they can continue. */
export function EnrolmentPage(props: { onDone(): void; onLeave(): void }) {
  const leave = () => void signOut().then(props.onLeave, props.onLeave)
  return (
    <SplitPage title={t('enrolTitle')} intro={t('enrolIntro')} aside={<Factors />}>
      <div class="grid gap-4">
        <FactorsCard onChanged={props.onDone} />
        <Button look="ghost" onClick={leave}>
          {t('enrolLeave')}
        </Button>
      </div>
    </SplitPage>
  )
}

/** The accepted second factors, and recovery codes. */
function Factors() {
  const status = createLoad(() => true, readStatus)
  const factors = (): { icon: IconName; title: string; text: string }[] => [
    ...(passkeysHere(status.value()?.passkeys) ? [{ icon: 'key' as const, title: t('enrolPasskey'), text: t('enrolPasskeyWhy') }] : []),
    { icon: 'clock', title: t('enrolApp'), text: t('enrolAppWhy') },
    { icon: 'list', title: t('enrolCodes'), text: t('enrolCodesWhy') },
  ]
  return (
    <ul class="grid w-full max-w-[440px] gap-7 px-8">
      <For each={factors()}>
        {(factor) => (
          <li class="grid grid-cols-[40px_minmax(0,1fr)] gap-4">
            <span class="grid size-10 place-items-center rounded-[10px] border border-line bg-surface text-accent">
              <Icon name={factor.icon} />
            </span>
            <span>
              <b class="block text-[14px]/[20px] font-semibold">{factor.title}</b>
              <span class="mt-0.5 block text-[13px]/[20px] text-ink-2">{factor.text}</span>
            </span>
          </li>
        )}
      </For>
    </ul>
  )
}
