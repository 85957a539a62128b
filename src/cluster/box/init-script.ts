/** Has a shell reap orphans, as the first process of a namespace should: it does so while it waits. */
export const reapOrphans = "while :; do sleep 2147483647 & wait $!; done";

/**
 * The script that opens a box. It runs in new namespaces and in the folder of the box; its first child becomes the
 * first process of the box. That child mounts the root directory, connects the network, says `ready` and waits for
 * a line. If none comes it ends, and with it all that it made: a box is complete and recorded, or nothing is left of
 * it.
 *
 * Descriptor 3 is the network namespace of the machine, 4 is where the line comes from. Parameters: a file that takes
 * pids into a cgroup, or nothing; the name of the node; commands of `ip` for the box and for the machine; a program
 * that reaps orphans, or nothing; the names of directories that are overlays over the machine's.
 */
export const initScript = `
(
  set -e
  node=$2 inside=$3 outside=$4 init=$5
  shift 5
  quick="mount -n -i -c"
  $quick --bind root root
  own() {
    case $1 in
      etc)
        [ -e root/etc/passwd ] || cp -a /etc/. root/etc
        cp -a --remove-destination upper/etc/. root/etc ;;
      opt) [ -e root/opt/cni ] || [ ! -e /opt/cni ] || cp -a /opt/cni root/opt ;;
      *) $quick --rbind "/$1" "root/$1" ;;
    esac
  }
  for name; do
    $quick -t overlay overlay "root/$name" 2>/dev/null \\
      -o "lowerdir=/$name,upperdir=upper/$name,workdir=work/$name,index=off,metacopy=off" || own "$name"
  done
  # What connects containers of the machine is not meant for pods of the box.
  [ -e cni ] || { rm -rf root/etc/cni/net.d; : > cni; }
  $quick -a -T mounts
  echo "$node" > /proc/sys/kernel/hostname
  echo 1 > /proc/sys/net/ipv4/ip_forward
  # A namespace inherits that the machine has IPv6 disabled.
  if [ -e /proc/sys/net/ipv6 ]; then
    for of in all default; do echo 0 > /proc/sys/net/ipv6/conf/$of/disable_ipv6; done
    echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
  fi
  # The machine sends packets to services through a box. To redirect it would use up what the kernel allows of ICMP
  # errors, so that refused connections time out.
  echo 0 > /proc/sys/net/ipv4/conf/all/send_redirects
  echo 0 > /proc/sys/net/ipv4/conf/default/send_redirects
  ip -batch - <<END
$inside
END
  nsenter --net=/proc/self/fd/3 ip -batch - <<END
$outside
END
  cd root
  pivot_root . .machine
  cd /
  umount -n -i -c -l /.machine
  rmdir /.machine
  $quick --make-rshared /
  echo ready
  read -r go <&4
  exec 3<&- 4<&- </dev/null >/dev/null 2>&1
  [ ! -x "$init" ] || exec "$init" -P
  ${reapOrphans}
) &
echo "pid $!"
[ -z "$1" ] || { echo $! > "$1"; } 2>/dev/null || :
`;
