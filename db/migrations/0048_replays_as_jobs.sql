-- Replays are a kind of jobs, and may be paid by a team; what a team paid for is kept, too. Metadata only, but for the jobs that go on.
INSERT INTO "jobs" ("id", "kind", "created_at", "beat_at")
SELECT "id", 'replay', "at", coalesce("held_until", now()) FROM "replay_jobs" WHERE "state" = 'running' ON CONFLICT DO NOTHING;
--> statement-breakpoint
ALTER TABLE "replay_jobs" DROP COLUMN "holder", DROP COLUMN "held_until", ADD COLUMN "team_id" text;
--> statement-breakpoint
ALTER TABLE "kept_bodies" DROP CONSTRAINT "kept_bodies_user_id_users_id_fk";
