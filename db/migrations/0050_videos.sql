CREATE TABLE "videos" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"key_id" text,
	"request_id" text NOT NULL,
	"state" text NOT NULL,
	"progress" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"sealed" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "videos_tenant" ON "videos" USING btree ("tenant","created_at");--> statement-breakpoint
CREATE INDEX "videos_expires" ON "videos" USING btree ("expires_at");