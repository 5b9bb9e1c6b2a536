import { callApi } from '#client/api/http.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelRow } from '#shared/console/channel'
import { t } from './messages.ts'

/** Deletes a channel, after warning what stops working. */
export function RemoveDialog(props: { row: ChannelRow; onDone(): void; onClose(): void }) {
  const write = createWrite()
  const go = async () => {
    if (!(await write.run(() => callApi('DELETE', `/api/channels/${encodeURIComponent(props.row.id)}`)))) return
    showToast(t('removed', { name: props.row.name }))
    props.onDone()
  }
  return (
    <Dialog
      title={t('removeTitle', { name: props.row.name })}
      intro={t('removeIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button look="bad primary" busy={write.busy()} onClick={() => void go()}>
            {t('removeGo', { name: props.row.name })}
          </Button>
        </>
      }
    >
      <Refusal of={write} />
    </Dialog>
  )
}
