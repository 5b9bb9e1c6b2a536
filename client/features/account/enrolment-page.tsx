import { signOut } from '#client/api/account.ts'
import { Button } from '#client/ui/button.tsx'
import { SplitPage } from '#client/ui/split-page.tsx'
import { FactorsCard } from './factors-card.tsx'
import { t } from './messages.ts'

/** For whoever is signed in and has to add a second factor before anything else opens. */
export function EnrolmentPage(props: { onDone(): void; onLeave(): void }) {
  const leave = () => void signOut().then(props.onLeave, props.onLeave)
  return (
    <SplitPage title={t('enrolTitle')} intro={t('enrolIntro')}>
      <div class="grid gap-4">
        <FactorsCard onChanged={props.onDone} />
        <Button look="ghost" onClick={leave}>
          {t('enrolLeave')}
        </Button>
      </div>
    </SplitPage>
  )
}
